-- Answers: the classes that violate (alpha, k)-anonymity: one value has a share above alpha.
-- Reads: class_counts (the classes' key, value, row_count).
-- Takes: $numerator and $denominator, alpha as a ratio.
-- Gives: key_code, TRUE for each of these classes.
SELECT key_code, TRUE AS violates
FROM class_counts
GROUP BY key_code
HAVING max(row_count) * CAST($denominator AS HUGEINT) > sum(row_count) * $numerator
