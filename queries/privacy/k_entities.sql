-- Answers: k-anonymity by entities: the equivalence classes, their rows, and whether these belong to fewer than k
-- entities. Rows that name none belong to one.
-- Reads: holders (the classes' key, entity, row_count).
-- Takes: $k.
-- Gives: key_code, size, violates.
SELECT
    key_code,
    CAST(sum(row_count) AS BIGINT) AS size,
    count(DISTINCT entity) + max(CASE WHEN entity IS NULL THEN 1 ELSE 0 END) < $k AS violates
FROM holders
GROUP BY key_code
