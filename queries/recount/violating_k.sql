-- The classes of too few rows or entities.
SELECT CAST(size AS BIGINT) AS class_rows, CAST(holders AS DOUBLE) AS reached
FROM sizes
WHERE holders < $k
