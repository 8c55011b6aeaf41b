-- Answers: one quasi-identifier by level, no row suppressed: units of loss, sum of rows times the logarithm of their
-- number, and released values.
-- Reads: costs, what each released value costs (level, row_count, spread, units).
-- Takes: nothing.
-- Gives: level, units, spread, released_values.
SELECT
    level,
    CAST(sum(units * CAST(row_count AS HUGEINT)) AS HUGEINT) AS units,
    sum(row_count * spread) AS spread,
    count(*) AS released_values
FROM costs
GROUP BY level
ORDER BY level
