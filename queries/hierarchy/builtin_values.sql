-- Answers: the distinct values of a column with their texts. Those that are read as NULL, and NULL itself, have no
-- text; they stand here whether the column holds them or not.
-- Reads: raw_values, the distinct values of a column (value).
-- Takes: typed_value, the value in the type of its column; $absent, the texts that are missing values; $missing, the
-- label of missing values.
-- Gives: the table builtin_values (value, text).
CREATE OR REPLACE TEMP TABLE kanon.builtin_values AS
SELECT value, CAST(value AS VARCHAR) AS text
FROM raw_values
WHERE value IS NOT NULL AND NOT list_contains(CAST($missing AS VARCHAR[]), CAST(value AS VARCHAR))
UNION ALL
SELECT typed_value AS value, CAST(NULL AS VARCHAR) AS text
FROM (SELECT unnest(CAST($absent AS VARCHAR[])) AS leaf) AS absent
