-- Answers: how many half labels stand above half tuples.
-- Reads: half_above, the half labels above each half tuple.
-- Takes: nothing.
-- Gives: pairs.
SELECT count(*) AS pairs
FROM half_above
