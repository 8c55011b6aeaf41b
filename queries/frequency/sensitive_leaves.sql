-- A sensitive column beside the positions of the quasi-identifiers.
CREATE OR REPLACE TEMP TABLE sensitive AS
SELECT qi_leaf, sensitive_value AS value, carried_name, CAST(sum(row_count) AS BIGINT) AS row_count
FROM records
GROUP BY qi_leaf, sensitive_value, carried_name
