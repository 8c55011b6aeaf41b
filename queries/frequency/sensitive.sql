-- A sensitive column beside the codes of every level of the quasi-identifiers.
CREATE OR REPLACE TEMP TABLE sensitive AS
SELECT
    cell_codes.cell_level AS cell_name,
    counted.value,
    counted.carried_name,
    counted.row_count
FROM (
    SELECT qi_leaf, sensitive_value AS value, carried_name, CAST(sum(row_count) AS BIGINT) AS row_count
    FROM records
    GROUP BY qi_leaf, sensitive_value, carried_name
) AS counted
JOIN qi_codes ON qi_codes.level_0 = counted.qi_leaf
