-- Answers: what is each leaf of all hierarchies at every level?
-- Reads: every_step, the steps of each hierarchy (leaf, step, above).
-- Takes: nothing but what every_step asks for.
-- Gives: the table steps (leaf, step, above).
CREATE OR REPLACE TEMP TABLE steps AS
SELECT leaf, step, above
FROM every_step
