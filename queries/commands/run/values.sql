-- How often the finer values of one quasi-identifier are there: row_count rows each, of so many values.
SELECT
    row_count,
    count(*) AS value_count
FROM (
    SELECT count(*) AS row_count
    FROM sample
    WHERE finer_code IS NOT NULL
    GROUP BY finer_code
) AS counted
GROUP BY row_count
