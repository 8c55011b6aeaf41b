-- What all classes lose together, and the rows of the smallest.
SELECT sum(size * cost) AS cost, min(size) AS smallest
FROM class_costs
