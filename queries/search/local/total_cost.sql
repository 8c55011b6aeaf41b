-- Answers: what all classes lose together, and the rows of the smallest.
-- Reads: class_costs, the classes, or the tuples of each, with what a row loses there (size, cost).
-- Takes: nothing.
-- Gives: cost, smallest.
SELECT sum(size * cost) AS cost, min(size) AS smallest
FROM class_costs
