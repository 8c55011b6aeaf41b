-- Answers: the distinct values of a column of another engine, each with how often it is there.
-- Reads: table_rows, the rows of a table (what cell_text reads).
-- Takes: cell_text, the value of the column as text.
-- Gives: text, held.
SELECT text, CAST(count(*) AS BIGINT) AS held
FROM (SELECT cell_text AS text FROM table_rows) AS texts
GROUP BY text
