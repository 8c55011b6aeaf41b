-- Answers: what does the engine that holds the rows join to code the values of a quasi-identifier?
-- Reads: mapping, its mapping table (value, a code a level).
-- Takes: step, the columns of the codes (step_code).
-- Gives: value, as text, and the codes under their names.
SELECT
    CAST(value AS VARCHAR) AS value,
    CAST(step_code AS BIGINT) AS step_code
FROM mapping
