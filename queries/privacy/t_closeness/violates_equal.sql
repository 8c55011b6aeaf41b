-- t-closeness with equal distances: classes whose values are more than t from those of all rows. The distance is half
-- the sum of all differences between shares, which is the sum of those where the class has the greater share.
SELECT class_values.key_code, TRUE AS violates
FROM class_values
JOIN reference ON reference.value = class_values.value
GROUP BY class_values.key_code
HAVING
    sum(greatest(class_values.row_count * $total - reference.row_count * class_values.size, 0)) * $denominator
    > CAST(any_value(class_values.size) AS HUGEINT) * $total * $numerator
