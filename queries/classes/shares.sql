-- Tuples that several classes share: which of a tuple's rows, counted from 1, each class takes.
CREATE OR REPLACE TEMP TABLE shares AS
SELECT
    part,
    this_position,
    CAST(sum(row_count) OVER in_turn AS BIGINT) - row_count AS rows_before,
    CAST(sum(row_count) OVER in_turn AS BIGINT) AS last_row
FROM assigned
WINDOW in_turn AS (PARTITION BY LIST_OF(this_position) ORDER BY part)
