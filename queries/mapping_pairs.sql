-- One level of a mapping table: every value, and what it becomes.
SELECT DISTINCT
    CAST(value AS VARCHAR) AS value,
    CAST(label_here AS VARCHAR) AS label
FROM mapping
ORDER BY value NULLS FIRST
