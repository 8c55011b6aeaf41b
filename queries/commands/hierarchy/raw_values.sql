-- The distinct values of a column, read once.
CREATE OR REPLACE TEMP TABLE raw_values AS
SELECT value
FROM source_values
