-- Answers: the cells that are nearer to the centre of a near group than to what the centre of their own is without
-- them. The centres stand beside each, so that what an exchange gains follows from one join with the other group.
-- Reads: members, the points by their groups (cell, part, axis_coordinate, row_count); compared, near groups of each
-- (part, other); centres, the rows of each group and the point in its middle (part, axis_coordinate, row_count).
-- Takes: axis_coordinate, axis_centre and axis_other_centre, of each axis its columns.
-- Gives: the table wishes (cell, part, axis_coordinate, axis_centre, row_count, total, off, other, axis_other_centre,
-- other_total, away), with the squared distances from both centres.
CREATE OR REPLACE TEMP TABLE wishes AS
SELECT *
FROM (
    SELECT
        placed.*,
        compared.other,
        centres.axis_coordinate AS axis_other_centre,
        centres.row_count AS other_total,
        SUM_OF(
            (placed.axis_coordinate - centres.axis_coordinate) * (placed.axis_coordinate - centres.axis_coordinate)
        ) AS away
    FROM (
        SELECT
            members.cell,
            members.part,
            members.axis_coordinate,
            centres.axis_coordinate AS axis_centre,
            members.row_count,
            centres.row_count AS total,
            SUM_OF(
                (members.axis_coordinate - centres.axis_coordinate)
                * (members.axis_coordinate - centres.axis_coordinate)
            ) AS off
        FROM members
        JOIN centres ON centres.part = members.part
    ) AS placed
    JOIN compared ON compared.part = placed.part
    JOIN centres ON centres.part = compared.other
) AS measured
WHERE away * (total - row_count) * (total - row_count) < off * total * total
