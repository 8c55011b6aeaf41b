-- Answers: each cell in its group, and how far it is from the centre, squared.
-- Reads: members, the points by their groups (cell, part, axis_coordinate, row_count); centres, the rows of each group
-- and the point in its middle (part, axis_coordinate, row_count).
-- Takes: axis_coordinate, of each axis its column.
-- Gives: the table placed (cell, part, axis_coordinate, row_count, total, off).
CREATE OR REPLACE TEMP TABLE placed AS
SELECT
    members.cell,
    members.part,
    members.axis_coordinate,
    members.row_count,
    centres.row_count AS total,
    SUM_OF(
        (members.axis_coordinate - centres.axis_coordinate) * (members.axis_coordinate - centres.axis_coordinate)
    ) AS off
FROM members
JOIN centres ON centres.part = members.part
