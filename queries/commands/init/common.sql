-- Answers: how many rows hold the most frequent value of a column.
-- Reads: coded, the tuples by numbers for their values (code, row_count).
-- Takes: code, the number of the column's value.
-- Gives: most, row_total.
SELECT
    CAST(max(size) AS BIGINT) AS most,
    CAST(sum(size) AS BIGINT) AS row_total
FROM (
    SELECT sum(row_count) AS size
    FROM coded
    GROUP BY code
) AS grouped
