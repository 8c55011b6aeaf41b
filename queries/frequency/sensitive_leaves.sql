-- Answers: a sensitive column beside the positions of the quasi-identifiers.
-- Reads: records, the rows counted by codes and further columns (qi_leaf, carried_name, sensitive_value, row_count).
-- Takes: carried_name, of each further column its name; qi_leaf, of each quasi-identifier the column of its codes,
-- leaves of the hierarchy; sensitive_value, the column of sensitive codes.
-- Gives: the table sensitive (qi_leaf, value, carried_name, row_count).
CREATE OR REPLACE TEMP TABLE sensitive AS
SELECT qi_leaf, sensitive_value AS value, carried_name, CAST(sum(row_count) AS BIGINT) AS row_count
FROM kanon.records
GROUP BY qi_leaf, sensitive_value, carried_name
