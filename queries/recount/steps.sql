-- The nodes above each value of a hierarchy, below its top.
SELECT DISTINCT
    CASE WHEN is_missing THEN NULL ELSE CAST(value AS VARCHAR) END AS value,
    unnest([LIST_OF(CAST(step_number AS INTEGER))]) AS level,
    unnest([LIST_OF(CAST(step_code AS BIGINT))]) AS node
FROM (
    SELECT mapping.*, value IS NULL OR list_contains(CAST($missing AS VARCHAR[]), CAST(value AS VARCHAR)) AS is_missing
    FROM mapping
) AS marked
