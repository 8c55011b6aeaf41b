-- Answers: how many rows one side has.
-- Reads: groups, the distinct rows of one side with their number (row_count).
-- Takes: nothing.
-- Gives: row_count.
SELECT CAST(coalesce(sum(row_count), 0) AS BIGINT) AS row_count
FROM groups
