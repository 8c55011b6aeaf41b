-- Answers: the classes that violate t-closeness with distances in a hierarchy, two values as far apart as their lowest
-- common ancestor is high. At each node what one child has too much of is carried to the others that lack it, at the
-- cost of the node's height.
-- Reads: class_values (the classes' key, value, row_count, size), ancestors (value, level, node, parent, row_count of
-- the node), nodes (level, node, row_count).
-- Takes: $height of the hierarchy; $total, all rows; $numerator and $denominator, t as a ratio.
-- Gives: key_code, TRUE for each of these classes.
WITH extras AS (
    SELECT
        class_values.key_code,
        ancestors.level,
        ancestors.node,
        ancestors.parent,
        any_value(class_values.size) AS size,
        sum(class_values.row_count) AS row_count,
        sum(class_values.row_count) * $total - any_value(ancestors.row_count) * any_value(class_values.size) AS extra
    FROM class_values
    JOIN ancestors ON ancestors.value = class_values.value
    GROUP BY class_values.key_code, ancestors.level, ancestors.node, ancestors.parent
),
carried AS (
    SELECT
        extras.key_code,
        any_value(extras.size) AS size,
        (extras.level + 1) * least(
            sum(greatest(extras.extra, 0)),
            sum(greatest(extras.extra, 0))
            - (sum(extras.row_count) * $total - any_value(parents.row_count) * any_value(extras.size))
        ) AS cost
    FROM extras
    JOIN nodes AS parents ON parents.level = extras.level + 1 AND parents.node = extras.parent
    GROUP BY extras.key_code, extras.level, extras.parent
)
SELECT key_code, TRUE AS violates
FROM carried
GROUP BY key_code
HAVING sum(cost) * $denominator > CAST(any_value(size) AS HUGEINT) * $total * $height * $numerator
