-- Answers: how many points the largest block has, and the greatest number of a block.
-- Reads: blocks, points by their blocks (block).
-- Takes: nothing.
-- Gives: one row: largest, last.
SELECT max(points) AS largest, max(block) AS last
FROM (
    SELECT block, count(*) AS points
    FROM blocks
    GROUP BY block
) AS counted
