-- Partitions without an accepted cut of which candidates are left.
SELECT count(DISTINCT candidates.part) AS untried
FROM candidates
ANTI JOIN accepted_cuts ON accepted_cuts.part = candidates.part
WHERE candidates.place > $to_place
