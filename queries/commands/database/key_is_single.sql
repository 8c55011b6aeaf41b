-- Answers: whether a column could be the key of its table: no two rows have the same value, and no row lacks one.
-- Reads: table_rows, the rows of the table (own_key).
-- Takes: own_key, the column.
-- Gives: one row (present, different, is_whole), present the rows with a value, different their different values.
SELECT count(own_key) AS present, count(DISTINCT own_key) AS different, count(*) = count(own_key) AS is_whole
FROM table_rows
