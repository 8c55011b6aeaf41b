-- Basic beta-likeness: classes in which a value's share exceeds its share of all rows by more than beta times the latter.
SELECT class_values.key_code, TRUE AS violates
FROM class_values
JOIN reference ON reference.value = class_values.value
GROUP BY class_values.key_code
HAVING
    max(
        CAST(class_values.row_count AS HUGEINT) * $total * $denominator
        - CAST(reference.row_count AS HUGEINT) * class_values.size * ($denominator + $numerator)
    ) > 0
