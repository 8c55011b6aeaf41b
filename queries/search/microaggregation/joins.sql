-- Answers: which group each violating one joins: the nearest in its block, and of two that violate the one of the lower
-- number, so that at least one group goes.
-- Reads: blocks, the centres of groups by their blocks (part, axis_coordinate, block); violating, the groups that
-- violate (part).
-- Takes: axis_coordinate, of each axis its column.
-- Gives: the table joins (part, other).
CREATE OR REPLACE TEMP TABLE joins AS
SELECT nearest.part, nearest.other
FROM (
    SELECT part, other
    FROM (
        SELECT
            blocks.part,
            others.part AS other,
            row_number() OVER (
                PARTITION BY blocks.part ORDER BY
                    SUM_OF(
                        (blocks.axis_coordinate - others.axis_coordinate)
                        * (blocks.axis_coordinate - others.axis_coordinate)
                    ),
                    others.part
            ) AS place
        FROM blocks
        JOIN violating ON violating.part = blocks.part
        JOIN blocks AS others ON others.block = blocks.block AND others.part != blocks.part
    ) AS sorted
    WHERE place = 1
) AS nearest
LEFT JOIN violating ON violating.part = nearest.other
WHERE violating.part IS NULL OR nearest.other < nearest.part
