-- Answers: what each label of one quasi-identifier with a hierarchy costs; a missing value costs nothing.
-- Reads: known, the labels of the release with their nodes (label, level, node); nodes, the nodes of the hierarchy
-- (level, node, cost).
-- Takes: nothing.
-- Gives: the table costs (label, cost).
CREATE OR REPLACE TEMP TABLE costs AS
SELECT
    known.label,
    CASE WHEN known.label IS NULL THEN 0.0 ELSE nodes.cost END AS cost
FROM known
LEFT JOIN nodes ON nodes.level = known.level AND nodes.node = known.node
