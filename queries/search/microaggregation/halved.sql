-- Answers: blocks of more than $most points cut in two across the axis along which they spread most: a share of the
-- points on the first side. Only points near the cut are sorted: each block is divided into stripes of the same width
-- first, and the one that the cut falls into follows from how many points each has.
-- Reads: blocks, points by their blocks (part, axis_coordinate, row_count, block).
-- Takes: axis_coordinate and axis_number, of each axis its column and its number, from 1; $most, the most points of a
-- block; $share, the share of the points on the first side.
-- Gives: the table blocks (part, axis_coordinate, row_count, block).
CREATE OR REPLACE TEMP TABLE blocks AS
WITH spreads AS (
    SELECT
        block,
        count(*) AS points,
        [LIST_OF(
            count(*) * sum(axis_coordinate * axis_coordinate) - sum(axis_coordinate) * sum(axis_coordinate)
        )] AS spreads,
        [LIST_OF(min(axis_coordinate))] AS least,
        [LIST_OF(max(axis_coordinate) - min(axis_coordinate))] AS widths
    FROM blocks
    GROUP BY block
    HAVING count(*) > $most
),

cuts AS (
    SELECT
        block,
        axis,
        list_extract(least, axis) AS least,
        ceil($share * points) AS first_points,
        least(256, points // 16) / greatest(list_extract(widths, axis), 1e-300) AS stripes_per_unit
    FROM (
        SELECT *, list_position(spreads, list_max(spreads)) AS axis
        FROM spreads
    ) AS widest
),

striped AS (
    SELECT
        part,
        block,
        axis,
        place,
        first_points,
        CAST(floor((place - least) * stripes_per_unit) AS INTEGER) AS stripe
    FROM (
        SELECT
            blocks.part,
            cuts.*,
            SUM_OF(CASE WHEN cuts.axis = axis_number THEN blocks.axis_coordinate ELSE 0 END) AS place
        FROM blocks
        JOIN cuts ON cuts.block = blocks.block
    ) AS along
),

middle_stripes AS (
    SELECT block, stripe, points_before
    FROM (
        SELECT
            block,
            stripe,
            points,
            first_points,
            sum(points) OVER (PARTITION BY block ORDER BY stripe) - points AS points_before
        FROM (
            SELECT block, stripe, first_points, count(*) AS points
            FROM striped
            GROUP BY block, stripe, first_points
        ) AS stripes
    ) AS summed
    WHERE points_before < first_points AND points_before + points >= first_points
),

last_points AS (
    SELECT block, part, axis, place
    FROM (
        SELECT
            striped.*,
            middle_stripes.points_before
            + row_number() OVER (PARTITION BY striped.block ORDER BY striped.place, striped.part) AS point_number
        FROM striped
        JOIN middle_stripes ON middle_stripes.block = striped.block AND middle_stripes.stripe = striped.stripe
    ) AS sorted
    WHERE point_number = first_points
)

SELECT
    part,
    axis_coordinate,
    row_count,
    2 * block + CASE WHEN place > last_place OR (place = last_place AND part > last_part) THEN 1 ELSE 0 END AS block
FROM (
    SELECT
        blocks.*,
        last_points.part AS last_part,
        last_points.place AS last_place,
        SUM_OF(CASE WHEN last_points.axis = axis_number THEN blocks.axis_coordinate ELSE 0 END) AS place
    FROM blocks
    LEFT JOIN last_points ON last_points.block = blocks.block
) AS beside
