-- Answers: one hierarchy: the node above each leaf at each level, and its loss, weighted.
-- Reads: nodes, the nodes of a hierarchy (level, node, cost); domain, the distinct values of a column (position).
-- Takes: level_number, of each level its number; level_shift, of each level the column of its shift in trees and the
-- shift; this_dimension, the number of the dimension; this_lowest, the lowest level that a release may use;
-- this_weight, the weight of the dimension.
-- Gives: dimension, position, level, node, shift, cost.
SELECT
    this_dimension AS dimension,
    leaves.position,
    nodes.level,
    nodes.node,
    levels.shift,
    CAST(this_weight AS DOUBLE) * nodes.cost AS cost
FROM (SELECT DISTINCT CAST(position AS BIGINT) AS position FROM domain) AS leaves
CROSS JOIN (
    SELECT unnest([LIST_OF(level_number)]) AS level, unnest([LIST_OF(level_shift)]) AS shift
) AS levels
JOIN nodes ON nodes.level = levels.level AND nodes.node = leaves.position >> levels.shift
WHERE levels.level >= this_lowest
