-- Answers: each block as one group.
-- Reads: blocks, points by their blocks, each a cell (part, block).
-- Takes: nothing.
-- Gives: the table grouped (cell, part).
CREATE OR REPLACE TEMP TABLE grouped AS
SELECT part AS cell, CAST(min(part) OVER (PARTITION BY block) AS INTEGER) AS part
FROM blocks
