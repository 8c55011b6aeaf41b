-- Answers: the sum over the suppressed rows of one node of the lattice of the logarithm of the rows that share their
-- released value, in each quasi-identifier.
-- Reads: classes, the statement that judges classes (see queries/privacy): the codes, size, violates; cost_costs, the
-- costs of a quasi-identifier's values: level, code, spread.
-- Takes: cost_level and cost_code, the level of a quasi-identifier and its code in classes; cost_cost, what its sum is
-- called; the number k and the list key, which classes asks for.
-- Gives: one row: the sum of each quasi-identifier.
SELECT sum(classes.size * cost_costs.spread) AS cost_cost
FROM classes
JOIN cost_costs ON cost_costs.level = cost_level AND cost_costs.code = classes.cost_code
WHERE classes.violates
