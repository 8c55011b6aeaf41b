-- Answers: the drawn rows of one side by kinds of labels and the code that is to be predicted.
-- Reads: utility_drawn, the rows of both sides by the kinds of their labels (is_release, target, item_kind, row_count).
-- Takes: item_kind, of each column its kinds; $side, 1 for the release.
-- Gives: target, row_count, item_kind.
SELECT target, CAST(row_count AS BIGINT) AS row_count, item_kind
FROM kanon.utility_drawn
WHERE is_release = $side
ORDER BY item_kind, target
