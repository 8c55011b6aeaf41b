-- Answers: how many rows there are, and how many distinct values each column holds among them.
-- Reads: run_sample, a sample of the rows by codes (seen_code).
-- Takes: seen_code, of each column that is looked at its code; seen_values, of each column that is looked at the name
-- of the number of its values.
-- Gives: row_count, seen_values.
SELECT
    count(*) AS row_count,
    count(DISTINCT seen_code) AS seen_values
FROM kanon.run_sample
