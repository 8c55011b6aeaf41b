-- Answers: names of columns as if they were their values, so that the marks of values are found in them.
-- Reads: nothing.
-- Takes: $positions and $names, the columns.
-- Gives: the table profile_values (position, value, row_count).
CREATE OR REPLACE TEMP TABLE kanon.profile_values AS
SELECT unnest($positions) AS position, unnest($names) AS value, CAST(1 AS BIGINT) AS row_count
