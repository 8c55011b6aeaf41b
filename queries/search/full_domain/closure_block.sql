-- Answers: how many rows has each combination of some columns, at the leaves of their hierarchies?
-- Reads: rows_there, the rows that take part by the codes of every level (column_code, row_count).
-- Takes: column_code, of each column that of its leaves.
-- Gives: column_code, row_count.
SELECT column_code, CAST(sum(row_count) AS BIGINT) AS row_count
FROM rows_there
GROUP BY column_code
