-- Answers: a table with the columns of another and no rows; no row is read for it.
-- Reads: table_rows, the other table (all columns).
-- Takes: nothing.
-- Gives: the table new_rows (all columns).
CREATE OR REPLACE TEMP TABLE new_rows AS
SELECT *
FROM table_rows
WHERE false
