-- Entropy l-diversity: classes whose values have an entropy below the logarithm of l. Missing values count for nothing.
SELECT key_code, TRUE AS violates
FROM class_counts
GROUP BY key_code
HAVING
    coalesce(
        ln(sum(CASE WHEN value > 0 THEN row_count END))
        - sum(CASE WHEN value > 0 THEN row_count * ln(row_count) END) / sum(CASE WHEN value > 0 THEN row_count END)
        < ln($l) - 1e-9,
        TRUE
    )
