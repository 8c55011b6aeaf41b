-- Answers: which combinations are needed no longer?
-- Reads: coarser, the combinations at some levels of a lattice.
-- Takes: nothing.
-- Gives: nothing; the table coarser is gone.
DROP TABLE IF EXISTS coarser
