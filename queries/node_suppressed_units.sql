-- One node of the lattice: the units of loss that its suppressed rows would have had in each quasi-identifier.
SELECT CAST(sum(violating.size * CAST(cost_costs.units AS HUGEINT)) AS HUGEINT) AS cost_cost
FROM (
    SELECT class_code, sum(row_count) AS size
    FROM tuples
    GROUP BY class_code
    HAVING sum(row_count) < $k
) AS violating
JOIN cost_costs ON cost_costs.level = cost_level AND cost_costs.code = violating.cost_code
