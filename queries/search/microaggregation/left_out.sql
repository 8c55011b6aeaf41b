-- Answers: how many rows are in no group, and in how many strata.
-- Reads: cells, the distinct tuples (cell, row_count, stratum); members, the group of each cell (cell).
-- Takes: nothing.
-- Gives: one row: row_total, strata.
SELECT coalesce(CAST(sum(cells.row_count) AS BIGINT), 0) AS row_total, count(DISTINCT cells.stratum) AS strata
FROM cells
WHERE NOT EXISTS (
    SELECT 1
    FROM members
    WHERE members.cell = cells.cell
)
