-- One node of the lattice: the sum over its suppressed rows of the logarithm of the rows that share their released
-- value, in each quasi-identifier.
SELECT sum(violating.size * cost_costs.spread) AS cost_cost
FROM (
    SELECT class_code, sum(row_count) AS size
    FROM tuples
    GROUP BY class_code
    HAVING sum(row_count) < $k
) AS violating
JOIN cost_costs ON cost_costs.level = cost_level AND cost_costs.code = violating.cost_code
