-- Enhanced beta-likeness: the same; a value's bound is also the negative logarithm of its share of all rows.
SELECT qi_value, measure, exceeds > 1e-9 AS violates
FROM (
    SELECT
        qi_value,
        max(coalesce((share - expected) / expected, CAST('Infinity' AS DOUBLE))) AS measure,
        max(coalesce((share - expected) / expected - least($beta, -ln(expected)), CAST('Infinity' AS DOUBLE))) AS exceeds
    FROM shares
    GROUP BY qi_value
) AS measured
