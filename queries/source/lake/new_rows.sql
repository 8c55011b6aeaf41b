-- Answers: the rows of a lake's table that are new. Rows that share a number are none: one of them may be older.
-- Reads: table_rows, the table with the numbers that rows keep (rowid); changes, which of them are new.
-- Takes: out_name, of each column its name.
-- Gives: rows of the table new_rows (out_name).
INSERT INTO new_rows
SELECT table_rows.out_name
FROM table_rows
JOIN changes ON changes.row_number = table_rows.rowid
WHERE changes.is_new
QUALIFY count(*) OVER (PARTITION BY table_rows.rowid) = 1
