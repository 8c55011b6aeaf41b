-- The greatest code of a sensitive column in the new data.
SELECT CAST(coalesce(max(position), 0) AS BIGINT) AS top
FROM domain
