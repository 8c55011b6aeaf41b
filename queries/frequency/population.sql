-- Answers: the persons of a population by the codes of every level of the quasi-identifiers.
-- Reads: source, the rows of the source; qi_mapping, of each quasi-identifier its mapping table (value).
-- Takes: cell_level, of each such level its column there; cell_mapping, of each level of each quasi-identifier its
-- mapping table; cell_name, of each such level its name here; qi_value, of each quasi-identifier the value in the
-- source.
-- Gives: the table population (cell_name, row_count).
CREATE OR REPLACE TEMP TABLE population AS
SELECT cell_mapping.cell_level AS cell_name, CAST(count(*) AS BIGINT) AS row_count
FROM source
LEFT JOIN qi_mapping ON qi_mapping.value IS NOT DISTINCT FROM qi_value
GROUP BY cell_mapping.cell_level
