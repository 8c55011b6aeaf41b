-- Answers: distinct combinations of values and how many rows have them: all that leaves the engine that holds the rows.
-- Reads: source, the rows of the source (qi_value).
-- Takes: qi_key, of each quasi-identifier its column in the source.
-- Gives: qi_key, row_count.
SELECT
    qi_value AS qi_key,
    CAST(count(*) AS BIGINT) AS row_count
FROM source
GROUP BY qi_value
