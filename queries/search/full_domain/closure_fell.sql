-- Answers: did any row fall?
-- Reads: fallen, the rows that fell in one round (place).
-- Takes: nothing.
-- Gives: one row: fell.
SELECT count(*) > 0 AS fell
FROM kanon.fallen
