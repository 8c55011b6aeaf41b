-- Answers: how many of all rows that take part hold each value of a sensitive column?
-- Reads: reference, how often each value occurs in all rows (value, row_count).
-- Takes: nothing.
-- Gives: value, its code, and row_count, of the values that occur.
SELECT CAST(value AS BIGINT) AS value, CAST(row_count AS BIGINT) AS row_count
FROM reference
WHERE row_count > 0
ORDER BY value
