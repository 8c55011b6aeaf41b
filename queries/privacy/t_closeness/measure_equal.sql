-- Answers: how far the values of each class are from those of all rows: half the sum over all values of the difference
-- between their shares.
-- Reads: shares (the classes' quasi-identifiers, value, share, expected: that of all rows).
-- Takes: $t, the most.
-- Gives: each class with its measure, and whether that violates the threshold.
SELECT qi_value, measure, measure > $t + 1e-9 AS violates
FROM (
    SELECT qi_value, (sum(abs(share - coalesce(expected, 0))) + 1 - sum(coalesce(expected, 0))) / 2 AS measure
    FROM shares
    GROUP BY qi_value
) AS measured
