-- Answers: how many values that stand in a file stand in no row, name or definition of it.
-- Reads: lake_hits, the values.
-- Takes: nothing.
-- Gives: one row (hits).
SELECT count(*) AS hits
FROM lake_hits
