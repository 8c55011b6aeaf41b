-- Answers: the classes that violate enhanced beta-likeness: as the basic one, but a value's share q of all rows grows
-- by no more than -ln(q) times q either.
-- Reads: class_values (the classes' key, value, row_count, size), reference (value, share).
-- Takes: $beta.
-- Gives: key_code, TRUE for each of these classes.
SELECT class_values.key_code, TRUE AS violates
FROM class_values
JOIN reference ON reference.value = class_values.value
GROUP BY class_values.key_code
HAVING
    max(
        CAST(class_values.row_count AS DOUBLE) / class_values.size
        / (reference.share * (1 + least($beta, -ln(reference.share))))
    ) > 1 + 1e-12
