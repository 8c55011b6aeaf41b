-- Answers: how many combinations are there at some levels of a lattice?
-- Reads: coarser, these combinations.
-- Takes: nothing.
-- Gives: one row: row_total.
SELECT count(*) AS row_total
FROM coarser
