-- Answers: whether two tables hold the same rows in whatever order: how many rows there are, and the sum of a hash of
-- each. Equal rows count as often as they are there; the hash over a row ties its values together.
-- Reads: table_rows, the hashes of the values of each row.
-- Takes: cell_hash, the hash of a column.
-- Gives: one row: row_count, total.
SELECT
    count(*) AS row_count,
    CAST(coalesce(sum(hash(row_hash)), 0) AS VARCHAR) AS total
FROM (
    SELECT hash(LIST_OF(cell_hash)) AS row_hash
    FROM table_rows
) AS hashed
