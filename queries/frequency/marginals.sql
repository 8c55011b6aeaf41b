-- Answers: one quasi-identifier by level, no row suppressed: units of loss, sum of rows times the logarithm of their
-- number, released values, and the most units that one of them has.
-- Reads: costs, what each released value costs (level, row_count, spread, units).
-- Takes: nothing.
-- Gives: level, units, spread, released_values, most_units.
SELECT
    level,
    CAST(sum(units * CAST(row_count AS HUGEINT)) AS HUGEINT) AS units,
    sum(row_count * spread) AS spread,
    count(*) AS released_values,
    max(units) AS most_units
FROM costs
GROUP BY level
ORDER BY level
