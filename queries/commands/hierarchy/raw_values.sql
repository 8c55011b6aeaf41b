-- Answers: the distinct values of a column, read once.
-- Reads: source_values, the column in the source (value).
-- Takes: nothing.
-- Gives: the table raw_values (value).
CREATE OR REPLACE TEMP TABLE raw_values AS
SELECT value
FROM source_values
