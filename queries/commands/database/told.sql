-- Answers: the sensitive values of each person, numbered.
-- Reads: sensitive_values, those of all columns (person, name, value).
-- Takes: nothing.
-- Gives: the table told (person, value).
CREATE OR REPLACE TEMP TABLE told AS
SELECT person, dense_rank() OVER (ORDER BY name, value) AS value
FROM sensitive_values
