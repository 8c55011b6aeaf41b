-- Answers: how many rows are alone with what their amount is rounded to.
-- Reads: init_sample, some rows (amount).
-- Takes: amount, the key of the column; $step, what is rounded to.
-- Gives: alone.
SELECT count(*) FILTER (WHERE size = 1) AS alone
FROM (
    SELECT count(*) AS size
    FROM kanon.init_sample
    WHERE TRY_CAST(amount AS DOUBLE) IS NOT NULL
    GROUP BY round(TRY_CAST(amount AS DOUBLE) / CAST($step AS DOUBLE))
) AS rounded
