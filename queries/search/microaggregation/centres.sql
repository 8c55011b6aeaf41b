-- Answers: the rows of each group, the point in its middle and the stratum that it is in.
-- Reads: members, the points by their groups (cell, part, axis_coordinate, row_count, stratum).
-- Takes: axis_coordinate, of each axis its column.
-- Gives: the table centres (part, axis_coordinate, row_count, stratum).
CREATE OR REPLACE TEMP TABLE centres AS
SELECT
    part,
    sum(row_count * axis_coordinate) / sum(row_count) AS axis_coordinate,
    CAST(sum(row_count) AS BIGINT) AS row_count,
    min(stratum) AS stratum
FROM members
GROUP BY part
