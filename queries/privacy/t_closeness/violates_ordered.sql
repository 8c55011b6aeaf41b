-- Answers: the classes that violate t-closeness with ordered distances: the sum over all values, in order, of how much
-- the shares up to there differ, divided by one less than the values. A class's share stays as it is from one of its
-- values to the next, while that of all rows grows: up to the value at which it passes the class's share it is below,
-- from there on above.
-- Reads: class_values (the classes' key, value, row_count, size), reference (value, rank in the order, cumulative: rows
-- up to there, prefix: the sum of these).
-- Takes: $values, their number; $whole, the sum of all cumulated rows; $total, all rows; $numerator and $denominator, t
-- as a ratio.
-- Gives: key_code, TRUE for each of these classes.
WITH steps AS (
    SELECT
        class_values.key_code,
        class_values.size,
        reference.rank,
        reference.cumulative,
        reference.prefix,
        sum(class_values.row_count) OVER in_order * $total AS reached,
        lead(reference.rank, 1, $values) OVER in_order - 1 AS last_rank,
        lead(reference.prefix - reference.cumulative, 1, $whole) OVER in_order AS last_prefix,
        row_number() OVER in_order = 1 AS is_first
    FROM class_values
    JOIN reference ON reference.value = class_values.value
    WINDOW in_order AS (PARTITION BY LIST_OF(class_values.key_code) ORDER BY reference.rank)
),
turns AS (
    SELECT
        steps.*,
        greatest(least(turn.rank, last_rank), steps.rank - 1) AS turn_rank,
        greatest(least(turn.prefix, last_prefix), steps.prefix - steps.cumulative) AS turn_prefix
    FROM steps
    ASOF JOIN reference AS turn ON turn.cumulative <= steps.reached // steps.size
)
SELECT key_code, TRUE AS violates
FROM turns
GROUP BY key_code
HAVING
    sum(
        (turn_rank - rank + 1) * reached - (turn_prefix - prefix + cumulative) * size
        + (last_prefix - turn_prefix) * size - (last_rank - turn_rank) * reached
        + CASE WHEN is_first THEN (prefix - cumulative) * size ELSE 0 END
    ) * $denominator
    > CAST(any_value(size) AS HUGEINT) * $total * ($values - 1) * $numerator
