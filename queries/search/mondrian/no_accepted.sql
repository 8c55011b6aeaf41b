-- Answers: the cuts of which both sides satisfy all models, one for each partition; none yet.
-- Reads: candidates, the cuts that k allows, numbered in each partition (part, dimension, low, high).
-- Takes: nothing.
-- Gives: the table accepted_cuts (part, dimension, low, high).
CREATE OR REPLACE TEMP TABLE accepted_cuts AS
SELECT part, dimension, low, high
FROM candidates
WHERE FALSE
