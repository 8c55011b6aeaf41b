-- Answers: the classes that violate basic beta-likeness: a value's share exceeds its share of all rows by more than
-- beta times the latter.
-- Reads: class_values (the classes' key, value, row_count, size), reference (value, row_count).
-- Takes: $total, all rows; $numerator and $denominator, beta as a ratio.
-- Gives: key_code, TRUE for each of these classes.
SELECT class_values.key_code, TRUE AS violates
FROM class_values
JOIN reference ON reference.value = class_values.value
GROUP BY class_values.key_code
HAVING
    max(
        CAST(class_values.row_count AS HUGEINT) * $total * $denominator
        - CAST(reference.row_count AS HUGEINT) * class_values.size * ($denominator + $numerator)
    ) > 0
