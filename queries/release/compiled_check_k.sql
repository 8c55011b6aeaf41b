-- The classes of too few rows or entities.
SELECT
    requirement_name AS requirement,
    CAST(size AS BIGINT) AS class_rows,
    CAST(holders AS DOUBLE) AS reached
FROM sizes
WHERE holders < smallest
