-- Answers: how many rows a table has, and how many of them belong to nobody.
-- Reads: table_rows, the rows of the table (person).
-- Takes: nothing.
-- Gives: one row (row_count, orphans).
SELECT count(*) AS row_count, count(*) - count(person) AS orphans
FROM table_rows
