-- The classes, by their tuples.
CREATE OR REPLACE TEMP TABLE assigned AS
SELECT
    CAST(members.part AS UINTEGER) AS part,
    cells.this_position,
    CAST(members.row_count AS BIGINT) AS row_count
FROM cells
JOIN members ON members.cell = cells.cell
