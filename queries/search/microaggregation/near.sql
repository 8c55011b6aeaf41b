-- Answers: the nearest groups of each group in its block.
-- Reads: blocks, the centres of groups by their blocks (part, point, block).
-- Takes: $most, how many of each.
-- Gives: the table near (part, other).
CREATE OR REPLACE TEMP TABLE near AS
SELECT part, other
FROM (
    SELECT
        blocks.part,
        others.part AS other,
        row_number() OVER (PARTITION BY blocks.part ORDER BY list_distance(blocks.point, others.point), others.part) AS place
    FROM blocks
    JOIN blocks AS others ON others.block = blocks.block AND others.part != blocks.part
) AS sorted
WHERE place <= $most
