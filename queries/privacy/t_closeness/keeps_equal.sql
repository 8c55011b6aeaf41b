-- Answers: how many rows, at most, of each class that violates t-closeness with equal distances could stay in any parts
-- of it that hold it. Together such parts hold it too: of their s rows, at least (1 - t) s are matched, value by value,
-- by s rows with the shares of all rows. Of values that are rarer in the class than in all rows, no more are matched
-- than the class has, of the others no more than their share of s, which leaves s no greater than what is given. What
-- a double could lose is added.
-- Reads: class_values (the classes' key, value, row_count, size), reference (value, row_count).
-- Takes: $total, all rows; $numerator and $denominator, t as a ratio.
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
                CAST($denominator - $numerator AS HUGEINT) * $total
                - CAST(coalesce(sum(CASE WHEN is_frequent THEN expected END), 0) AS HUGEINT) * $denominator
            )
            * (1 + 1e-9)
        ) AS BIGINT
    ) AS kept
FROM (
    SELECT
        class_values.key_code,
        class_values.row_count,
        class_values.size,
        reference.row_count AS expected,
        CAST(class_values.row_count AS HUGEINT) * $total
        > CAST(reference.row_count AS HUGEINT) * class_values.size AS is_frequent
    FROM class_values
    JOIN reference ON reference.value = class_values.value
) AS shares
GROUP BY key_code
HAVING
    CAST(sum(CASE WHEN is_frequent THEN row_count * $total - expected * size ELSE 0 END) AS HUGEINT) * $denominator
    > CAST(any_value(size) AS HUGEINT) * $total * $numerator
