-- Answers: the classes that violate delta-disclosure privacy: they lack a value, or the logarithm of a value's share by
-- its share of all rows is not within delta.
-- Reads: class_values (the classes' key, value, row_count, size), reference (value, share).
-- Takes: $values, their number in all rows; $delta.
-- Gives: key_code, TRUE for each of these classes.
SELECT class_values.key_code, TRUE AS violates
FROM class_values
JOIN reference ON reference.value = class_values.value
GROUP BY class_values.key_code
HAVING
    count(*) < $values
    OR max(abs(ln(CAST(class_values.row_count AS DOUBLE) / class_values.size / reference.share))) >= $delta
