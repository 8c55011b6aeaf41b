-- The nodes above each value of a sensitive column's hierarchy, at every level below its top.
SELECT DISTINCT CAST(value AS VARCHAR) AS value, CAST(step_code AS BIGINT) AS step_node
FROM mapping
ORDER BY value NULLS FIRST
