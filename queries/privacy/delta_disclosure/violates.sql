-- delta-disclosure privacy: classes that lack a value, or in which the logarithm of a value's share by its share of all
-- rows is not within delta.
SELECT class_values.key_code, TRUE AS violates
FROM class_values
JOIN reference ON reference.value = class_values.value
GROUP BY class_values.key_code
HAVING
    count(*) < $values
    OR max(abs(ln(CAST(class_values.row_count AS DOUBLE) / class_values.size / reference.share))) >= $delta
