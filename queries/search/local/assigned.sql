-- Answers: the classes, by their tuples.
-- Reads: cells, the distinct tuples, numbered (this_position, cell); members, the tuples of each class, with their rows
-- there (part, row_count, cell).
-- Takes: this_position, of each dimension the column of positions.
-- Gives: the table assigned (part, this_position, row_count).
CREATE OR REPLACE TEMP TABLE assigned AS
SELECT
    CAST(members.part AS UINTEGER) AS part,
    cells.this_position,
    CAST(members.row_count AS BIGINT) AS row_count
FROM cells
JOIN members ON members.cell = cells.cell
