-- Answers: partitions without an accepted cut of which candidates are left.
-- Reads: candidates, the cuts that k allows, numbered in each partition (part, place); accepted_cuts, the cuts of which
-- both sides satisfy all models (part).
-- Takes: $to_place, the places of the candidates, the first excluded.
-- Gives: untried.
SELECT count(DISTINCT candidates.part) AS untried
FROM candidates
LEFT JOIN accepted_cuts ON accepted_cuts.part = candidates.part
WHERE accepted_cuts.part IS NULL AND candidates.place > $to_place
