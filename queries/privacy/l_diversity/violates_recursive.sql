-- Answers: the classes that violate recursive (c,l)-diversity: with counts from the greatest down, the first is not
-- below c times the sum of those from the l-th on. Missing values (0) count for nothing.
-- Reads: class_counts (the classes' key, value, row_count).
-- Takes: $l; $numerator and $denominator, c as a ratio.
-- Gives: key_code, TRUE for each of these classes.
SELECT key_code, TRUE AS violates
FROM (
    SELECT key_code, list(row_count ORDER BY row_count DESC) FILTER (WHERE value > 0) AS counts
    FROM class_counts
    GROUP BY key_code
) AS sorted_counts
WHERE NOT coalesce(counts[1] * $denominator < $numerator * list_sum(counts[$l:]), FALSE)
