-- Answers: what the classes cost: units of loss of each dimension, in rows. They are added up as whole numbers of parts
-- of a unit: the sum is the same in whatever order.
-- Reads: released_classes, the classes with labels and losses (row_count, this_cost).
-- Takes: this_cost, of each dimension the column of losses.
-- Gives: this_cost.
SELECT
    CAST(
        sum(
            CAST(released_classes.row_count AS HUGEINT)
            * CAST(released_classes.this_cost * 1152921504606846976 AS HUGEINT)
        ) AS DOUBLE
    ) / 1152921504606846976 AS this_cost
FROM released_classes
