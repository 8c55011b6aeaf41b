-- Recursive (c,l)-diversity, counts from the greatest down: classes in which the first is not below c times the sum of
-- those from the l-th on. Missing values count for nothing.
SELECT key_code, TRUE AS violates
FROM (
    SELECT key_code, list(row_count ORDER BY row_count DESC) FILTER (WHERE value > 0) AS counts
    FROM class_counts
    GROUP BY key_code
) AS sorted_counts
WHERE NOT coalesce(counts[1] * $denominator < $numerator * list_sum(counts[$l:]), FALSE)
