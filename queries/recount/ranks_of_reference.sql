-- Answers: the place of each value in the order, missing ones first, where it is the order that the engine itself has.
-- Reads: reference, the values of all rows: value.
-- Takes: nothing.
-- Gives: value, rank.
SELECT value, dense_rank() OVER (ORDER BY CASE WHEN value IS NULL THEN 0 ELSE 1 END, value) AS rank
FROM reference
