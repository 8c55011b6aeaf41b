-- Both sides of the candidates from one place to another, of partitions without an accepted cut.
SELECT
    candidates.part,
    candidates.place,
    [LIST_OF(CAST(rows.this_position AS BIGINT))][candidates.dimension + 1] BETWEEN candidates.low AND candidates.high
        AS is_left,
    rows.*
FROM open_rows AS rows
JOIN candidates ON candidates.part = rows.open_part
ANTI JOIN accepted_cuts ON accepted_cuts.part = candidates.part
WHERE candidates.place > $from_place AND candidates.place <= $to_place
