-- Answers: the cells that are nearer to the centre of a near group than to what the centre of their own is without
-- them.
-- Reads: placed, each cell in its group (cell, part, axis_coordinate, row_count, total, off); near, the nearest groups
-- of each (part, other); centres, the rows of each group and the point in its middle (part, axis_coordinate,
-- row_count).
-- Takes: axis_coordinate, of each axis its column.
-- Gives: the table wishes (cell, part, axis_coordinate, row_count, total, off, other, other_total, away).
CREATE OR REPLACE TEMP TABLE wishes AS
SELECT *
FROM (
    SELECT
        placed.*,
        near.other,
        centres.row_count AS other_total,
        SUM_OF(
            (placed.axis_coordinate - centres.axis_coordinate) * (placed.axis_coordinate - centres.axis_coordinate)
        ) AS away
    FROM placed
    JOIN near ON near.part = placed.part
    JOIN centres ON centres.part = near.other
) AS measured
WHERE away * (total - row_count) * (total - row_count) < off * total * total
