-- Answers: distinct combinations of quasi-identifier values as they stand, taken in one pass over a source that is dear
-- to read (a CSV file, a query): the mapping tables are then joined to these few rows.
-- Reads: source, the rows of the source (qi_key).
-- Takes: qi_key, of each quasi-identifier its column in the source.
-- Gives: the table raw_frequency (qi_key, row_count).
CREATE OR REPLACE TEMP TABLE kanon.raw_frequency AS
SELECT
    qi_key,
    CAST(count(*) AS BIGINT) AS row_count
FROM source
GROUP BY qi_key
