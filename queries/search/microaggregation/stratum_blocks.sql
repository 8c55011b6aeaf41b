-- Answers: the centres of all groups, those of each stratum as one block.
-- Reads: centres, the rows of each group, the point in its middle and its stratum (part, axis_coordinate, row_count,
-- stratum).
-- Takes: axis_coordinate, of each axis its column.
-- Gives: the table blocks (part, axis_coordinate, row_count, block).
CREATE OR REPLACE TEMP TABLE blocks AS
SELECT part, axis_coordinate, row_count, CAST(stratum AS BIGINT) AS block
FROM centres
