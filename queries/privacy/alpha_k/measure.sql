-- (alpha, k)-anonymity: the greatest share that a value has in each class.
SELECT
    qi_value,
    CAST(max(row_count) AS DOUBLE) / sum(row_count) AS measure,
    max(row_count) * $denominator > $numerator * sum(row_count) AS violates
FROM counted
GROUP BY qi_value
