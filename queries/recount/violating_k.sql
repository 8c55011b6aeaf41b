-- Answers: the classes that hold too few rows or entities: counts only, no value.
-- Reads: sizes, the classes: size, holders.
-- Takes: $k.
-- Gives: class_rows, reached.
SELECT CAST(size AS BIGINT) AS class_rows, CAST(holders AS DOUBLE) AS reached
FROM sizes
WHERE holders < $k
