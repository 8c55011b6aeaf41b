-- The share of each value in all rows that a class is compared with; each pair of entity and value counts once.
SELECT CAST(value AS VARCHAR) AS value, CAST(sum(row_count) AS DOUBLE) / sum(sum(row_count)) OVER () AS share
FROM (
    SELECT
        sensitive_value AS value,
        count(DISTINCT entity) + max(CASE WHEN entity IS NULL THEN 1 ELSE 0 END) AS row_count
    FROM reference_rows
    GROUP BY sensitive_value
) AS values_there
GROUP BY CAST(value AS VARCHAR)
