-- Answers: distinct values of a column that its mapping table lacks.
-- Reads: raw_values, the distinct values of a column (value); mapping, the mapping table (value, level_0).
-- Takes: nothing.
-- Gives: distinct_values.
SELECT CAST(count(*) AS BIGINT) AS distinct_values
FROM (
    SELECT DISTINCT raw_values.value
    FROM raw_values
    LEFT JOIN mapping ON mapping.value IS NOT DISTINCT FROM raw_values.value
    WHERE mapping.level_0 IS NULL
) AS uncovered
