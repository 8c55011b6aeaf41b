-- Answers: the cells in blocks: those whose values are missing in the same columns together, where these are k rows,
-- all others in block 0.
-- Reads: cells, the distinct tuples as points (cell, row_count, point, absent).
-- Takes: $k, the fewest rows of a group.
-- Gives: the table blocks (part, row_count, point, block).
CREATE OR REPLACE TEMP TABLE blocks AS
SELECT
    cells.cell AS part,
    cells.row_count,
    cells.point,
    CASE WHEN patterns.total >= $k THEN patterns.number ELSE 0 END AS block
FROM cells
JOIN (
    SELECT absent, sum(row_count) AS total, CAST(row_number() OVER (ORDER BY absent) AS BIGINT) AS number
    FROM cells
    GROUP BY absent
) AS patterns ON patterns.absent = cells.absent
