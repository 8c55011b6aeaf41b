-- (alpha, k)-anonymity: classes in which one value has a share above alpha.
SELECT key_code, TRUE AS violates
FROM class_counts
GROUP BY key_code
HAVING max(row_count) * CAST($denominator AS HUGEINT) > sum(row_count) * $numerator
