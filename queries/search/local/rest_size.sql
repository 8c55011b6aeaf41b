-- How many tuples and rows have no class yet.
SELECT count(*) AS tuples, CAST(coalesce(sum(row_count), 0) AS BIGINT) AS participants
FROM rest
