-- t-closeness, equal distances: half the sum over all values of the difference between their shares.
SELECT qi_value, measure, measure > $t + 1e-9 AS violates
FROM (
    SELECT qi_value, (sum(abs(share - coalesce(expected, 0))) + 1 - sum(coalesce(expected, 0))) / 2 AS measure
    FROM shares
    GROUP BY qi_value
) AS measured
