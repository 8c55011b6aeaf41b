-- Answers: how many rows of a table hold NULL in a column.
-- Reads: table_rows, the rows of a table (column_name).
-- Takes: nothing.
-- Gives: the columns that are read.
SELECT count(*) FROM table_rows WHERE column_name IS NULL
