-- Answers: the rows of each group, and the point in its middle.
-- Reads: members, the group of each cell (cell, part); cells, the distinct tuples as points (cell, row_count, point).
-- Takes: axis_number, of each axis its place in a point, from 1.
-- Gives: the table centres (part, row_count, point).
CREATE OR REPLACE TEMP TABLE centres AS
SELECT
    members.part,
    CAST(sum(cells.row_count) AS BIGINT) AS row_count,
    [LIST_OF(sum(cells.row_count * list_extract(cells.point, axis_number)) / sum(cells.row_count))] AS point
FROM members
JOIN cells ON cells.cell = members.cell
GROUP BY members.part
