-- Answers: rows that a frequency table stands for, and the combinations in it.
-- Reads: tuples, the distinct tuples with their rows (row_count).
-- Takes: nothing.
-- Gives: total_rows, combinations, alone.
SELECT
    CAST(coalesce(sum(row_count), 0) AS BIGINT) AS total_rows,
    count(*) AS combinations,
    CAST(coalesce(sum(CASE WHEN row_count = 1 THEN 1 ELSE 0 END), 0) AS BIGINT) AS alone
FROM tuples
