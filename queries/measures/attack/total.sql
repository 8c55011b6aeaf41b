-- Answers: how many rows a table has.
-- Reads: table_rows, any table.
-- Takes: nothing.
-- Gives: total.
SELECT count(*) AS total
FROM table_rows
