-- Answers: a sensitive column beside the codes of every level of the quasi-identifiers.
-- Reads: qi_codes, of each quasi-identifier the table of codes (level_0); records, the rows counted by codes and
-- further columns (qi_leaf, carried_name, sensitive_value, row_count).
-- Takes: carried_name, of each further column its name; cell_codes, of each level of each quasi-identifier its table of
-- codes; cell_level, of each such level its column there; cell_name, of each such level its name here; qi_leaf, of each
-- quasi-identifier the column of its codes, leaves of the hierarchy; sensitive_value, the column of sensitive codes.
-- Gives: the table sensitive (cell_name, value, carried_name, row_count).
CREATE OR REPLACE TEMP TABLE sensitive AS
SELECT
    cell_codes.cell_level AS cell_name,
    counted.value,
    counted.carried_name,
    counted.row_count
FROM (
    SELECT qi_leaf, sensitive_value AS value, carried_name, CAST(sum(row_count) AS BIGINT) AS row_count
    FROM kanon.records
    GROUP BY qi_leaf, sensitive_value, carried_name
) AS counted
JOIN qi_codes ON qi_codes.level_0 = counted.qi_leaf
