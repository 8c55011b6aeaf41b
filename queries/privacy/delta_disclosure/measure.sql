-- Answers: how far from 0 the logarithm of a value's share in each class by its share of all rows goes; a value that a
-- class lacks goes endlessly far.
-- Reads: shares (the classes' quasi-identifiers, value, share, expected: that of all rows), reference (the values of
-- all rows).
-- Takes: $delta, which is too far.
-- Gives: each class with its measure, and whether that violates the threshold.
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
