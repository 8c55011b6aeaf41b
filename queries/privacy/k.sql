-- k-anonymity: the equivalence classes, their rows, and whether these are fewer than k.
SELECT
    key_code,
    CAST(sum(row_count) AS BIGINT) AS size,
    sum(row_count) < $k AS violates
FROM tuples
GROUP BY key_code
