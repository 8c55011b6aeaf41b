-- The share of each value in all rows that a class is compared with.
SELECT CAST(value AS VARCHAR) AS value, CAST(sum(row_count) AS DOUBLE) / sum(sum(row_count)) OVER () AS share
FROM (
    SELECT sensitive_value AS value, row_total AS row_count
    FROM reference_rows
    GROUP BY sensitive_value
) AS values_there
GROUP BY CAST(value AS VARCHAR)
