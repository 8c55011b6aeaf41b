-- Answers: both sides of the candidates from one place to another, of partitions without an accepted cut.
-- Reads: open_rows, what the models judge, with the partition (open_part, this_position, counted_name); candidates, the
-- cuts that k allows, numbered in each partition (part, place, low, high, dimension); accepted_cuts, the cuts of which
-- both sides satisfy all models (part).
-- Takes: this_number, the number of the dimension; this_position, of each dimension the column of positions;
-- counted_name, what the models count; $from_place and $to_place, the places of the candidates, the first excluded.
-- Gives: part, place, is_left, counted_name.
SELECT
    candidates.part,
    candidates.place,
    ANY_OF(
        candidates.dimension = this_number AND open_rows.this_position BETWEEN candidates.low AND candidates.high
    ) AS is_left,
    open_rows.counted_name
FROM open_rows
JOIN candidates ON candidates.part = open_rows.open_part
LEFT JOIN accepted_cuts ON accepted_cuts.part = candidates.part
WHERE accepted_cuts.part IS NULL AND candidates.place > $from_place AND candidates.place <= $to_place
