-- Answers: the first of the distinct values of a column that its mapping table lacks.
-- Reads: raw_values, the distinct values of a column (value); mapping, the mapping table (value, level_0).
-- Takes: nothing.
-- Gives: example.
SELECT DISTINCT CAST(raw_values.value AS VARCHAR) AS example
FROM raw_values
LEFT JOIN mapping ON mapping.value IS NOT DISTINCT FROM raw_values.value
WHERE mapping.level_0 IS NULL
ORDER BY example
LIMIT 5
