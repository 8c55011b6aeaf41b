-- Answers: the centres of all groups as one block.
-- Reads: centres, the rows of each group and the point in its middle (part, row_count, point).
-- Takes: nothing.
-- Gives: the table blocks (part, row_count, point, block).
CREATE OR REPLACE TEMP TABLE blocks AS
SELECT part, row_count, point, CAST(0 AS BIGINT) AS block
FROM centres
