-- Answers: which of some texts a column of a release holds.
-- Reads: release, the release as it was written.
-- Takes: held_value, the column; $texts, the texts.
-- Gives: text.
SELECT DISTINCT CAST(held_value AS VARCHAR) AS text
FROM release
WHERE list_contains($texts, CAST(held_value AS VARCHAR))
