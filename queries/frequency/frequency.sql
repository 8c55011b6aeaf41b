-- Answers: the frequency table: how many rows share each combination of quasi-identifier values, the values as codes. A
-- value that no hierarchy covers has no code (NULL). With privacy models of other columns these are told apart too.
-- Reads: source, the rows of the source (qi_key); qi_mapping, of each quasi-identifier its mapping table (qi_code,
-- value).
-- Takes: carried_name, of each further column its name; carried_value, of each further column its value; qi_code, of
-- each quasi-identifier the column of leaves in its mapping table; qi_key, of each quasi-identifier its column in the
-- source; qi_leaf, of each quasi-identifier the column of its codes, leaves of the hierarchy; row_total, the number of
-- rows.
-- Gives: the table frequency (qi_leaf, carried_name, row_count).
CREATE OR REPLACE TEMP TABLE kanon.frequency AS
SELECT
    qi_mapping.qi_code AS qi_leaf,
    carried_value AS carried_name,
    CAST(row_total AS BIGINT) AS row_count
FROM source
LEFT JOIN qi_mapping ON qi_mapping.value IS NOT DISTINCT FROM source.qi_key
GROUP BY qi_mapping.qi_code, carried_value
