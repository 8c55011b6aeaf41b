-- Answers: the classes that violate t-closeness with equal distances: their values are more than t from those of all
-- rows. The distance is half the sum of all differences between shares, which is the sum of those where the class has
-- the greater share.
-- Reads: class_values (the classes' key, value, row_count, size), reference (value, row_count).
-- Takes: $total, all rows; $numerator and $denominator, t as a ratio.
-- Gives: key_code, TRUE for each of these classes.
SELECT class_values.key_code, TRUE AS violates
FROM class_values
JOIN reference ON reference.value = class_values.value
GROUP BY class_values.key_code
HAVING
    CAST(sum(greatest(class_values.row_count * $total - reference.row_count * class_values.size, 0)) AS HUGEINT)
    * $denominator
    > CAST(any_value(class_values.size) AS HUGEINT) * $total * $numerator
