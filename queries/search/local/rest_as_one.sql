-- Answers: the tuples without a class, as one.
-- Reads: rest, the tuples without a class (cell, row_count).
-- Takes: nothing.
-- Gives: cell, row_count, part.
SELECT cell, row_count, 0 AS part
FROM rest
