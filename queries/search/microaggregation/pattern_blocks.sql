-- Answers: the cells in blocks: those of one stratum whose values are missing in the same columns together, where these
-- are k rows, all others of the stratum in one more.
-- Reads: cells, the distinct tuples as points (cell, row_count, point, absent, stratum).
-- Takes: $k, the fewest rows of a group.
-- Gives: the table blocks (part, row_count, point, block).
CREATE OR REPLACE TEMP TABLE blocks AS
SELECT
    cells.cell AS part,
    cells.row_count,
    cells.point,
    CASE WHEN patterns.total >= $k THEN patterns.number ELSE patterns.first_of_few END AS block
FROM cells
JOIN (
    SELECT
        stratum,
        absent,
        total,
        number,
        min(CASE WHEN total < $k THEN number END) OVER (PARTITION BY stratum) AS first_of_few
    FROM (
        SELECT
            stratum,
            absent,
            sum(row_count) AS total,
            CAST(row_number() OVER (ORDER BY stratum, absent) AS BIGINT) AS number
        FROM cells
        GROUP BY stratum, absent
    ) AS counted
) AS patterns ON patterns.stratum = cells.stratum AND patterns.absent = cells.absent
