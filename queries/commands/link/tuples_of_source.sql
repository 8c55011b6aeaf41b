-- How many rows of the source each combined tuple stands for.
CREATE OR REPLACE TEMP TABLE tuples AS
SELECT tuple, CAST(sum(row_count) AS BIGINT) AS row_count
FROM origins
GROUP BY tuple
