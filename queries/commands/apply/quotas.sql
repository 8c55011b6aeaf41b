-- How many rows of each row text are released: none is decided.
CREATE OR REPLACE TEMP TABLE quotas AS
SELECT cell, class, row_count AS quota, CAST(0 AS BIGINT) AS attempt
FROM counts
WHERE false
