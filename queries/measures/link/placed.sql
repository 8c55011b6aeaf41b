-- Answers: the rows of a release in their order, each with the number of its combination. The engine keeps the order of
-- one table or of the files that are read for a window with nothing in OVER (), and for no other.
-- Reads: groups, the distinct rows of one side with their number (number, cell_text); table_rows, the rows of a table
-- (cell_value).
-- Takes: cell_text, of each column its text; cell_value, of each column its value.
-- Gives: the table placed (position, number).
CREATE OR REPLACE TEMP TABLE placed AS
SELECT ordered.position, groups.number
FROM (
    SELECT row_number() OVER () AS position, cell_value AS cell_text
    FROM table_rows
) AS ordered
JOIN groups ON groups.cell_text IS NOT DISTINCT FROM ordered.cell_text
