-- Answers: the points in blocks: those of one stratum whose values are missing in the same columns together, where
-- these are k rows, all others of the stratum in one more.
-- Reads: points, the distinct tuples as points (cell, row_count, stratum, axis_coordinate).
-- Takes: axis_coordinate, of each axis its column; absent_coordinate, of each axis of missing values its column; $k,
-- the fewest rows of a group.
-- Gives: the table blocks (part, axis_coordinate, row_count, block).
CREATE OR REPLACE TEMP TABLE blocks AS
SELECT
    points.cell AS part,
    points.axis_coordinate,
    points.row_count,
    CASE WHEN patterns.total >= $k THEN patterns.number ELSE patterns.first_of_few END AS block
FROM points
JOIN (
    SELECT
        stratum,
        absent_coordinate,
        total,
        number,
        min(CASE WHEN total < $k THEN number END) OVER (PARTITION BY stratum) AS first_of_few
    FROM (
        SELECT
            stratum,
            absent_coordinate,
            sum(row_count) AS total,
            CAST(row_number() OVER (ORDER BY stratum, LIST_OF(absent_coordinate)) AS BIGINT) AS number
        FROM points
        GROUP BY stratum, absent_coordinate
    ) AS counted
) AS patterns ON patterns.stratum = points.stratum AND patterns.absent_coordinate = points.absent_coordinate
