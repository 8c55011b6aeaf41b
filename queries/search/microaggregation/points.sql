-- Answers: the distinct tuples, each as a point in the space of all dimensions but those of the strata. The point has a
-- column for each axis: numbers in columns are compared far faster than numbers in lists.
-- Reads: cells, the distinct tuples, numbered (cell, near_position, row_count, stratum); near_coordinates, of each
-- dimension of the space where its positions lie (position, coordinate, missing).
-- Takes: near_position and near_axis, of each dimension of the space the columns of positions and of coordinates;
-- absent_coordinates and absent_axis, of each with missing values where its positions lie and the column of how far
-- away a missing value is.
-- Gives: the table points (cell, row_count, stratum, near_axis, absent_axis).
CREATE OR REPLACE TEMP TABLE points AS
SELECT
    cells.cell,
    cells.row_count,
    cells.stratum,
    near_coordinates.coordinate AS near_axis,
    absent_coordinates.missing AS absent_axis
FROM cells
JOIN near_coordinates ON near_coordinates.position = cells.near_position
