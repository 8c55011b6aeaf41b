-- Of these candidates, each partition's best of which no side violates a model.
INSERT INTO accepted_cuts
SELECT candidates.part, candidates.dimension, candidates.low, candidates.high
FROM candidates
ANTI JOIN accepted_cuts ON accepted_cuts.part = candidates.part
ANTI JOIN (
    SELECT part, place
    FROM classes
    WHERE violates
) AS violating ON violating.part = candidates.part AND violating.place = candidates.place
WHERE candidates.place > $from_place AND candidates.place <= $to_place
QUALIFY row_number() OVER (PARTITION BY candidates.part ORDER BY candidates.place) = 1
