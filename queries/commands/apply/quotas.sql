-- Answers: how many rows of each row text are released: none is decided.
-- Reads: counts, how often each row text is in each release (cell, class, row_count).
-- Takes: nothing.
-- Gives: the table quotas (cell, class, quota, attempt).
CREATE OR REPLACE TEMP TABLE quotas AS
SELECT cell, class, row_count AS quota, CAST(0 AS BIGINT) AS attempt
FROM counts
WHERE false
