-- Answers: how many rows are left?
-- Reads: kept, the rows that are left (row_count).
-- Takes: nothing.
-- Gives: one row: row_count.
SELECT CAST(coalesce(sum(row_count), 0) AS BIGINT) AS row_count
FROM kanon.kept
