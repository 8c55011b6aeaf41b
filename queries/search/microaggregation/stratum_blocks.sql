-- Answers: the centres of all groups, those of each stratum as one block.
-- Reads: centres, the rows of each group, the point in its middle and its stratum (part, row_count, stratum, point).
-- Takes: nothing.
-- Gives: the table blocks (part, row_count, point, block).
CREATE OR REPLACE TEMP TABLE blocks AS
SELECT part, row_count, point, stratum AS block
FROM centres
