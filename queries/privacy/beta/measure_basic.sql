-- Answers: by how much, relatively, the share of a value in each class exceeds its share of all rows at most.
-- Reads: shares (the classes' quasi-identifiers, value, share, expected: that of all rows).
-- Takes: $beta, the most.
-- Gives: each class with its measure, and whether that violates the threshold.
SELECT qi_value, measure, measure > $beta * (1 + 1e-9) AS violates
FROM (
    SELECT qi_value, max(coalesce((share - expected) / expected, CAST('Infinity' AS DOUBLE))) AS measure
    FROM shares
    GROUP BY qi_value
) AS measured
