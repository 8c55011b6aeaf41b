-- Answers: the units of loss that the suppressed rows of one node of the lattice would have had in each quasi-
-- identifier.
-- Reads: classes, the statement that judges classes (see queries/privacy): the codes, size, violates; cost_costs, the
-- costs of a quasi-identifier's values: level, code, units.
-- Takes: cost_level and cost_code, the level of a quasi-identifier and its code in classes; cost_cost, what its sum is
-- called; the number k and the list key, which classes asks for.
-- Gives: one row: the sum of each quasi-identifier.
SELECT CAST(sum(classes.size * CAST(cost_costs.units AS HUGEINT)) AS HUGEINT) AS cost_cost
FROM classes
JOIN cost_costs ON cost_costs.level = cost_level AND cost_costs.code = classes.cost_code
WHERE classes.violates
