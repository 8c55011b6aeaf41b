-- One node of the lattice: the sum over its suppressed rows of the logarithm of the rows that share their released
-- value, in each quasi-identifier.
SELECT sum(classes.size * cost_costs.spread) AS cost_cost
FROM classes
JOIN cost_costs ON cost_costs.level = cost_level AND cost_costs.code = classes.cost_code
WHERE classes.violates
