-- Answers: spans of positions, with what they lose at the lowest common ancestors of their ends.
-- Reads: this_costs, of each dimension its nodes with their losses (cost, level, node); spanned, spans of positions
-- (all columns).
-- Takes: this_common_level and this_common_node, of each dimension the lowest common ancestor of low and high;
-- this_level and this_node, of each dimension the names of level and node here.
-- Gives: the columns that are read.
SELECT spans.*, SUM_OF(this_costs.cost) AS cost
FROM (
    SELECT *, this_common_level AS this_level, this_common_node AS this_node
    FROM spanned
) AS spans
JOIN this_costs ON this_costs.level = spans.this_level AND this_costs.node = spans.this_node
