-- The values of one column with their rows, of the distinct combinations.
SELECT
    out_key,
    CAST(sum(row_count) AS BIGINT) AS row_count
FROM source
GROUP BY out_key
