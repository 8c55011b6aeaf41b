-- One hierarchy: the node above each leaf at each level, and its loss, weighted.
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
