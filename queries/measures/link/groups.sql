-- Answers: one side of a link: how many of its rows hold each combination of the linking columns, written as texts.
-- Their numbers stand in no order.
-- Reads: table_rows, the rows of a table (cell_value).
-- Takes: cell_text, of each column its text; cell_value, of each column its value.
-- Gives: the table groups (number, node, row_count, cell_text).
CREATE OR REPLACE TEMP TABLE groups AS
SELECT
    row_number() OVER () AS number,
    0 AS node,
    count(*) AS row_count,
    cell_value AS cell_text
FROM table_rows
GROUP BY cell_value
