-- The tuples of all open partitions: those of partitions that are cut under the numbers of their new partitions.
CREATE OR REPLACE TEMP TABLE next_tuples AS
SELECT
    CAST(
        CASE
            WHEN cuts.part IS NULL THEN open_tuples.part
            WHEN ANY_OF(
                cuts.dimension = this_number
                AND open_tuples.this_position BETWEEN cuts.low AND cuts.high
            ) THEN $first + 2 * cuts.number
            ELSE $first + 2 * cuts.number + 1
        END AS UINTEGER
    ) AS part,
    open_tuples.this_position,
    open_tuples.row_count
FROM open_tuples
LEFT JOIN cuts ON cuts.part = open_tuples.part
