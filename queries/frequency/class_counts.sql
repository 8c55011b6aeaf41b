-- How many rows of each equivalence class hold each sensitive value. Value 0 is the missing one.
SELECT key_code, value, CAST(sum(row_count) AS BIGINT) AS row_count
FROM sensitive
GROUP BY key_code, value
