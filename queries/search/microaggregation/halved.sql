-- Answers: blocks of more than $most points cut in two across the axis along which they spread most: a share of the
-- points on the first side.
-- Reads: blocks, points by their blocks (part, row_count, point, block).
-- Takes: axis_number, of each axis its place in a point, from 1; $most, the most points of a block; $share, the share
-- of the points on the first side.
-- Gives: the table blocks (part, row_count, point, block).
CREATE OR REPLACE TEMP TABLE blocks AS
SELECT
    part,
    row_count,
    point,
    2 * block + CASE WHEN points > $most AND place > ceil($share * points) THEN 1 ELSE 0 END AS block
FROM (
    SELECT
        blocks.part,
        blocks.row_count,
        blocks.point,
        blocks.block,
        spreads.points,
        row_number() OVER (
            PARTITION BY blocks.block ORDER BY list_extract(blocks.point, spreads.axis), blocks.part
        ) AS place
    FROM blocks
    JOIN (
        SELECT block, points, list_position(spreads, list_max(spreads)) AS axis
        FROM (
            SELECT
                block,
                count(*) AS points,
                [LIST_OF(
                    count(*) * sum(list_extract(point, axis_number) * list_extract(point, axis_number))
                    - sum(list_extract(point, axis_number)) * sum(list_extract(point, axis_number))
                )] AS spreads
            FROM blocks
            GROUP BY block
        ) AS measured
    ) AS spreads ON spreads.block = blocks.block
) AS sorted
