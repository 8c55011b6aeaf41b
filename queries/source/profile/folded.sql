-- Answers: the values of one column without regard to case.
-- Reads: profile_sample, the values (position, value).
-- Takes: $position, the column.
-- Gives: folded.
SELECT DISTINCT lower(value) AS folded
FROM kanon.profile_sample
WHERE position = $position
ORDER BY folded
