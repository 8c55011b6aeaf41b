-- One level of a mapping table: every value, what it becomes, and the code of that.
SELECT DISTINCT
    CAST(value AS VARCHAR) AS value,
    label_value AS label,
    CAST(level_code AS BIGINT) AS code
FROM mapping
ORDER BY value NULLS FIRST
