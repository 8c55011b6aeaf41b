-- The place of each value of a sensitive column in its order, missing ones first.
SELECT DISTINCT CASE WHEN position > 0 THEN CAST(value AS VARCHAR) END AS value, CAST(position AS BIGINT) AS rank
FROM domain
ORDER BY rank, value
