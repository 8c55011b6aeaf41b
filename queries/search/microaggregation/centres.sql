-- Answers: the rows of each group, the point in its middle and the stratum that it is in.
-- Reads: members, the group of each cell (cell, part); cells, the distinct tuples as points (cell, row_count, point,
-- stratum).
-- Takes: axis_number, of each axis its place in a point, from 1.
-- Gives: the table centres (part, row_count, stratum, point).
CREATE OR REPLACE TEMP TABLE centres AS
SELECT
    members.part,
    CAST(sum(cells.row_count) AS BIGINT) AS row_count,
    min(cells.stratum) AS stratum,
    [LIST_OF(sum(cells.row_count * list_extract(cells.point, axis_number)) / sum(cells.row_count))] AS point
FROM members
JOIN cells ON cells.cell = members.cell
GROUP BY members.part
