-- The tuples without a class, as one.
SELECT cell, row_count, 0 AS part
FROM rest
