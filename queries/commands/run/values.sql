-- Answers: how often the finer values of one quasi-identifier are there: row_count rows each, of so many values.
-- Reads: run_sample, a sample of the rows by codes (finer_code).
-- Takes: finer_code, the codes at a level and at one below.
-- Gives: row_count, value_count.
SELECT
    row_count,
    count(*) AS value_count
FROM (
    SELECT count(*) AS row_count
    FROM kanon.run_sample
    WHERE finer_code IS NOT NULL
    GROUP BY finer_code
) AS counted
GROUP BY row_count
