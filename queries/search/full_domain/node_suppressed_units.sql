-- One node of the lattice: the units of loss that its suppressed rows would have had in each quasi-identifier.
SELECT CAST(sum(classes.size * CAST(cost_costs.units AS HUGEINT)) AS HUGEINT) AS cost_cost
FROM classes
JOIN cost_costs ON cost_costs.level = cost_level AND cost_costs.code = classes.cost_code
WHERE classes.violates
