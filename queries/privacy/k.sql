-- Answers: k-anonymity: the equivalence classes, their rows, and whether these are fewer than k.
-- Reads: tuples (the classes' key, row_count).
-- Takes: $k.
-- Gives: key_code, size, violates.
SELECT
    key_code,
    CAST(sum(row_count) AS BIGINT) AS size,
    sum(row_count) < $k AS violates
FROM tuples
GROUP BY key_code
