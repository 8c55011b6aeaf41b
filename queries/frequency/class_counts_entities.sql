-- Answers: how many entities of each equivalence class hold each sensitive value: each pair of entity and value counts
-- once, and rows without entity are one.
-- Reads: sensitive, a sensitive column beside the codes (key_code, value, entity).
-- Takes: nothing.
-- Gives: key_code, value, row_count.
SELECT
    key_code,
    value,
    CAST(count(DISTINCT entity) + max(CASE WHEN entity IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS row_count
FROM sensitive
GROUP BY key_code, value
