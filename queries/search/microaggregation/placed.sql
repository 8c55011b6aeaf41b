-- Answers: each cell in its group, and how far it is from the centre, squared.
-- Reads: members, the group of each cell (cell, part); cells, the distinct tuples as points (cell, row_count, point);
-- centres, the rows of each group and the point in its middle (part, row_count, point).
-- Takes: nothing.
-- Gives: the table placed (cell, part, row_count, point, total, off).
CREATE OR REPLACE TEMP TABLE placed AS
SELECT
    members.cell,
    members.part,
    cells.row_count,
    cells.point,
    centres.row_count AS total,
    list_distance(cells.point, centres.point) * list_distance(cells.point, centres.point) AS off
FROM members
JOIN cells ON cells.cell = members.cell
JOIN centres ON centres.part = members.part
