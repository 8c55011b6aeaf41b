-- Answers: the points by the groups that MDAV put them into.
-- Reads: grouped, the group of each cell (cell, part); points, the distinct tuples as points (cell, row_count, stratum,
-- axis_coordinate).
-- Takes: axis_coordinate, of each axis its column.
-- Gives: the table members (cell, part, axis_coordinate, row_count, stratum).
CREATE OR REPLACE TEMP TABLE members AS
SELECT points.cell, grouped.part, points.axis_coordinate, points.row_count, points.stratum
FROM grouped
JOIN points ON points.cell = grouped.cell
