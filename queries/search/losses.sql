-- Answers: what the classes cost: units of loss of each dimension, in rows.
-- Reads: released_classes, the classes with labels and losses (row_count, this_cost).
-- Takes: this_cost, of each dimension the column of losses.
-- Gives: this_cost.
SELECT sum(released_classes.row_count * released_classes.this_cost) AS this_cost
FROM released_classes
