-- Answers: which columns of two tables hold other values, whatever rows these stand in: the values of each column as
-- one sum.
-- Reads: table_rows, the hashes of the values of each row.
-- Takes: cell_hash, the hash of a column.
-- Gives: one row: the sum of each column as text.
SELECT CAST(coalesce(sum(cell_hash), 0) AS VARCHAR) AS cell_hash
FROM table_rows
