-- Answers: values of one quasi-identifier that its hierarchy does not cover: how many distinct ones, and a few of them.
-- Reads: source, the rows of the source (qi_key); qi_mapping, the mapping table of the quasi-identifier (value,
-- level_0).
-- Takes: qi_key, its column in the source.
-- Gives: distinct_values, examples.
SELECT
    count(*) AS distinct_values,
    list_slice(list(CAST(value AS VARCHAR) ORDER BY CAST(value AS VARCHAR)), 1, 5) AS examples
FROM (
    SELECT DISTINCT source.qi_key AS value
    FROM source
    LEFT JOIN qi_mapping ON qi_mapping.value IS NOT DISTINCT FROM source.qi_key
    WHERE qi_mapping.level_0 IS NULL
) AS uncovered
