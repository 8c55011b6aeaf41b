-- The tuples without a class are one, number 0.
INSERT INTO members
SELECT 0 AS part, cell, row_count
FROM rest
