-- Answers: the greatest share that a value has in each class.
-- Reads: counted (the classes' quasi-identifiers, value, row_count).
-- Takes: $numerator and $denominator, alpha as a ratio.
-- Gives: each class with its measure, and whether that violates the threshold.
SELECT
    qi_value,
    CAST(max(row_count) AS DOUBLE) / sum(row_count) AS measure,
    max(row_count) * $denominator > $numerator * sum(row_count) AS violates
FROM counted
GROUP BY qi_value
