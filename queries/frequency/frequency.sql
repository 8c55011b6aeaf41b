-- The frequency table: how many rows share each combination of quasi-identifier values, the values as codes.
-- A value that no hierarchy covers has no code (NULL). With privacy models of other columns these are told apart too.
CREATE OR REPLACE TEMP TABLE frequency AS
SELECT
    qi_mapping.qi_code AS qi_leaf,
    carried_value AS carried_name,
    CAST(row_total AS BIGINT) AS row_count
FROM source
LEFT JOIN qi_mapping ON qi_mapping.value IS NOT DISTINCT FROM source.qi_key
GROUP BY qi_mapping.qi_code, carried_value
