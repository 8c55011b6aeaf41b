-- Answers: of each column, as far as some rows tell, whether it holds numbers or moments.
-- Reads: table_rows, some rows of a table (cell_value).
-- Takes: cell_value, of each column its value as text.
-- Gives: kinds, a list of number, moment or NULL.
SELECT [LIST_OF(CASE
    WHEN count(TRY_CAST(cell_value AS DOUBLE)) = count(cell_value) THEN 'number'
    WHEN count(TRY_CAST(cell_value AS TIMESTAMP)) = count(cell_value) THEN 'moment'
END)] AS kinds
FROM table_rows
