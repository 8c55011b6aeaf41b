-- Answers: the classes that violate entropy l-diversity: their values have an entropy below the logarithm of l. Missing
-- values (0) count for nothing; a class without any other violates.
-- Reads: class_counts (the classes' key, value, row_count).
-- Takes: $l.
-- Gives: key_code, TRUE for each of these classes.
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
