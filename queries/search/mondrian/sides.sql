-- Answers: both sides of the candidates from one place to another, of partitions without an accepted cut.
-- Reads: open_rows, what the models judge, with the partition (all columns); candidates, the cuts that k allows,
-- numbered in each partition (part, place, low, high, dimension); accepted_cuts, the cuts of which both sides satisfy
-- all models (part).
-- Takes: this_position, of each dimension the column of positions; $from_place and $to_place, the places of the
-- candidates, the first excluded.
-- Gives: the columns that are read.
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
