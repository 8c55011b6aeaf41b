-- The values of one dimension as a statement lists them, with their positions.
SELECT DISTINCT CAST(value AS VARCHAR) AS value, CAST(position AS BIGINT) AS position
FROM domain
ORDER BY position, value
