-- Answers: whether a column could be the key of its table: every row has a value, no two the same.
-- Reads: table_rows, the rows of the table (own_key).
-- Takes: own_key, the column.
-- Gives: one row (row_count, is_single).
SELECT count(*) AS row_count, count(*) = count(own_key) AND count(own_key) = count(DISTINCT own_key) AS is_single
FROM table_rows
