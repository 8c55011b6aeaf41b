-- Answers: the tuples without a class are one, number 0.
-- Reads: rest, the tuples without a class (cell, row_count).
-- Takes: nothing.
-- Gives: further rows of the table members (part, cell, row_count).
INSERT INTO members
SELECT 0 AS part, cell, row_count
FROM rest
