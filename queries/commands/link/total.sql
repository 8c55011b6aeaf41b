-- How many rows one side has.
SELECT CAST(coalesce(sum(row_count), 0) AS BIGINT) AS row_count
FROM groups
