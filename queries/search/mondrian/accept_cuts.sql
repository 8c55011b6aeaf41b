-- Answers: of these candidates, each partition's best of which no side violates a model.
-- Reads: candidates, the cuts that k allows, numbered in each partition (part, dimension, low, high, place);
-- accepted_cuts, the cuts of which both sides satisfy all models (part); classes, the sides of the candidates, judged
-- by the models (part, place, violates).
-- Takes: $from_place and $to_place, the places of the candidates, the first excluded.
-- Gives: further rows of the table accepted_cuts (part, dimension, low, high).
INSERT INTO accepted_cuts
SELECT part, dimension, low, high
FROM (
    SELECT
        candidates.part,
        candidates.dimension,
        candidates.low,
        candidates.high,
        row_number() OVER (PARTITION BY candidates.part ORDER BY candidates.place) AS turn
    FROM candidates
    LEFT JOIN accepted_cuts ON accepted_cuts.part = candidates.part
    LEFT JOIN (
        SELECT DISTINCT part, place
        FROM classes
        WHERE violates
    ) AS violating ON violating.part = candidates.part AND violating.place = candidates.place
    WHERE
        accepted_cuts.part IS NULL
        AND violating.part IS NULL
        AND candidates.place > $from_place
        AND candidates.place <= $to_place
) AS holding
WHERE turn = 1
