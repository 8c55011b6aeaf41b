-- Distinct combinations of quasi-identifier values, and the rows that they stand for.
SELECT
    count(*) AS combinations,
    CAST(coalesce(sum(row_count), 0) AS BIGINT) AS participants
FROM tuples
