-- The cuts of which both sides satisfy all models, one for each partition; none yet.
CREATE OR REPLACE TEMP TABLE accepted_cuts AS
SELECT part, dimension, low, high
FROM candidates
WHERE FALSE
