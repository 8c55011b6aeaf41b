-- Answers: how many distinct values each column has at least, in some rows of a table.
-- Reads: table_rows, some rows of a table (cell_text).
-- Takes: cell_text, of each column its value as text; cell_name, a name for their number.
-- Gives: cell_name.
SELECT count(DISTINCT cell_text) AS cell_name
FROM table_rows
