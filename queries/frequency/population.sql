-- The persons of a population by the codes of every level of the quasi-identifiers.
CREATE OR REPLACE TEMP TABLE population AS
SELECT cell_mapping.cell_level AS cell_name, CAST(count(*) AS BIGINT) AS row_count
FROM source
LEFT JOIN qi_mapping ON qi_mapping.value IS NOT DISTINCT FROM qi_value
GROUP BY cell_mapping.cell_level
