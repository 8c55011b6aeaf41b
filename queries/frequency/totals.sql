-- Answers: a sensitive column in all rows: how many rows, how many values, the sum of the cumulated counts.
-- Reads: reference, how often each value occurs in all rows (row_count, prefix).
-- Takes: nothing.
-- Gives: total, value_count, whole.
SELECT
    CAST(sum(row_count) AS BIGINT) AS total,
    count(*) - 1 AS value_count,
    CAST(max(prefix) AS HUGEINT) AS whole
FROM reference
