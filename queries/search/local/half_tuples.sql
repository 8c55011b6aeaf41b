-- Answers: the half tuples with one dimension more, numbered in no order, and their rows.
-- Reads: cells, the distinct tuples, numbered (kept_position, this_position, row_count); half_tuples, the half tuples
-- so far (tuple, kept_position).
-- Takes: kept_position, of each dimension that is in the half already its column of positions; this_position, of each
-- dimension the column of positions.
-- Gives: the table half_tuples (tuple, before, kept_position, this_position, row_count), `before` being a half tuple so
-- far.
CREATE OR REPLACE TEMP TABLE half_tuples AS
WITH widened AS (
    SELECT
        half_tuples.tuple AS before,
        cells.kept_position,
        cells.this_position,
        CAST(sum(cells.row_count) AS BIGINT) AS row_count
    FROM cells
    JOIN half_tuples ON half_tuples.kept_position = cells.kept_position
    GROUP BY half_tuples.tuple, cells.kept_position, cells.this_position
)
SELECT CAST(row_number() OVER () AS INTEGER) AS tuple, widened.*
FROM widened
