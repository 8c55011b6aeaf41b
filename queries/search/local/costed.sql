-- Spans of positions, with what they lose at the lowest common ancestors of their ends.
SELECT spans.*, SUM_OF(this_costs.cost) AS cost
FROM (
    SELECT *, this_common_level AS this_level, this_common_node AS this_node
    FROM spanned
) AS spans
JOIN this_costs ON this_costs.level = spans.this_level AND this_costs.node = spans.this_node
