-- The half tuples with one dimension more, numbered in no order, and their rows.
CREATE OR REPLACE TEMP TABLE half_next AS
SELECT CAST(row_number() OVER () AS INTEGER) AS tuple, widened.*
FROM (
    SELECT
        half_tuples.tuple AS before,
        cells.kept_position,
        cells.this_position,
        CAST(sum(cells.row_count) AS BIGINT) AS row_count
    FROM cells
    JOIN half_tuples ON half_tuples.kept_position = cells.kept_position
    GROUP BY half_tuples.tuple, cells.kept_position, cells.this_position
) AS widened
