-- The rows of a release in their order, each with the number of its combination.
CREATE OR REPLACE TEMP TABLE placed AS
SELECT ordered.position, groups.number
FROM (
    SELECT row_number() OVER () AS position, cell_value AS cell_text
    FROM table_rows
) AS ordered
JOIN groups ON groups.cell_text IS NOT DISTINCT FROM ordered.cell_text
