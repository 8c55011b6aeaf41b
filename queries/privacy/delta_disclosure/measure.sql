-- delta-disclosure privacy: how far the logarithm of a value's share in a class by its share of all rows goes from 0;
-- a value that a class lacks goes endlessly far.
SELECT qi_value, measure, measure >= $delta AS violates
FROM (
    SELECT
        qi_value,
        CASE
            WHEN count(*) < (SELECT count(*) FROM reference) THEN CAST('Infinity' AS DOUBLE)
            ELSE max(coalesce(abs(ln(share / expected)), CAST('Infinity' AS DOUBLE)))
        END AS measure
    FROM shares
    GROUP BY qi_value
) AS measured
