-- Distinct combinations of values and how many rows have them: all that leaves the engine that holds the rows.
SELECT
    qi_value AS qi_key,
    CAST(count(*) AS BIGINT) AS row_count
FROM source
GROUP BY qi_value
