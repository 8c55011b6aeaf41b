-- Answers: between which years nine in ten persons of some rows were as old as they are said to be, by their birth.
-- Reads: init_sample, some rows (born, aged).
-- Takes: aged, the column of ages; born, that of birth dates.
-- Gives: pairs, low, high.
SELECT
    count(*) AS pairs,
    quantile_cont(added, 0.05) AS low,
    quantile_cont(added, 0.95) AS high
FROM (
    SELECT year(TRY_CAST(born AS DATE)) + TRY_CAST(aged AS DOUBLE) AS added
    FROM kanon.init_sample
) AS sums
WHERE added IS NOT NULL
