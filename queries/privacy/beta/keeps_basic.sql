-- Answers: how many rows, at most, of each class that violates basic beta-likeness could stay in any parts of it that
-- hold it. Together such parts hold it too: of their s rows, values that are too frequent in the class have at most
-- what beta allows of s, and the others no more rows than the class has, which leaves s no greater than what is given.
-- What a double could lose is added.
-- Reads: class_values (the classes' key, value, row_count, size), reference (value, row_count).
-- Takes: $total, all rows; $numerator and $denominator, beta as a ratio.
-- Gives: key_code, kept.
SELECT
    key_code,
    CAST(
        floor(
            CAST(
                CAST(coalesce(sum(CASE WHEN NOT is_frequent THEN row_count END), 0) AS HUGEINT) * $total * $denominator
                AS DOUBLE
            )
            / (
                CAST($total AS HUGEINT) * $denominator
                - CAST(sum(CASE WHEN is_frequent THEN expected END) AS HUGEINT) * ($denominator + $numerator)
            )
            * (1 + 1e-9)
        ) AS BIGINT
    ) AS kept
FROM (
    SELECT
        class_values.key_code,
        class_values.row_count,
        reference.row_count AS expected,
        CAST(class_values.row_count AS HUGEINT) * $total * $denominator
        > CAST(reference.row_count AS HUGEINT) * class_values.size * ($denominator + $numerator) AS is_frequent
    FROM class_values
    JOIN reference ON reference.value = class_values.value
) AS shares
GROUP BY key_code
HAVING count(CASE WHEN is_frequent THEN 1 END) > 0
