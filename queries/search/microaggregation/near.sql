-- Answers: the nearest groups of each group in its block.
-- Reads: blocks, the centres of groups by their blocks (part, axis_coordinate, block).
-- Takes: axis_coordinate, of each axis its column; $most, how many of each.
-- Gives: the table near (part, other).
CREATE OR REPLACE TEMP TABLE near AS
SELECT part, nearest.other
FROM (
    SELECT part, unnest(min(struct_pack(distance := distance, other := other), $most)) AS nearest
    FROM (
        SELECT
            blocks.part,
            others.part AS other,
            sqrt(
                SUM_OF(
                    (blocks.axis_coordinate - others.axis_coordinate)
                    * (blocks.axis_coordinate - others.axis_coordinate)
                )
            ) AS distance
        FROM blocks
        JOIN blocks AS others ON others.block = blocks.block AND others.part != blocks.part
    ) AS pairs
    GROUP BY part
) AS gathered
