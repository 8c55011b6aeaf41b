-- Answers: how many rows, at most, of each class that violates t-closeness with distances in a hierarchy of height H
-- could stay in any parts of it that hold it, by each level L. The distance is the sum over all levels of the distances
-- between their nodes, divided by H, and a level's is no less than those above it: at level L it is tH / (L + 1) at
-- most. So the rows are bounded there as with equal distances (keeps_equal), with nodes as values. What a double could
-- lose is added.
-- Reads: class_values (the classes' key, value, row_count, size), ancestors (value, level, node, row_count of the
-- node).
-- Takes: $height of the hierarchy; $total, all rows; $numerator and $denominator, t as a ratio.
-- Gives: key_code, kept, once for each level that tells.
WITH shares AS (
    SELECT
        class_values.key_code,
        ancestors.level,
        any_value(class_values.size) AS size,
        CAST(sum(class_values.row_count) AS BIGINT) AS row_count,
        any_value(ancestors.row_count) AS expected
    FROM class_values
    JOIN ancestors ON ancestors.value = class_values.value
    GROUP BY class_values.key_code, ancestors.level, ancestors.node
),
compared AS (
    SELECT
        shares.*,
        CAST(row_count AS HUGEINT) * $total > CAST(expected AS HUGEINT) * size AS is_frequent
    FROM shares
)
SELECT
    key_code,
    CAST(
        floor(
            CAST(
                CAST(coalesce(sum(CASE WHEN NOT is_frequent THEN row_count END), 0) AS HUGEINT)
                * $total * $denominator * (level + 1)
                AS DOUBLE
            )
            / (
                CAST($denominator * (level + 1) - $numerator * $height AS HUGEINT) * $total
                - CAST(coalesce(sum(CASE WHEN is_frequent THEN expected END), 0) AS HUGEINT)
                * $denominator * (level + 1)
            )
            * (1 + 1e-9)
        ) AS BIGINT
    ) AS kept
FROM compared
GROUP BY key_code, level
HAVING
    CAST(sum(CASE WHEN is_frequent THEN row_count * $total - expected * size ELSE 0 END) AS HUGEINT)
    * $denominator * (level + 1)
    > CAST(any_value(size) AS HUGEINT) * $total * $numerator * $height
