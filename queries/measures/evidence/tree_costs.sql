-- Answers: what each label of one quasi-identifier with a hierarchy costs; a missing value costs nothing.
-- Reads: page_known, the labels of the release with their nodes (label, level, node); nodes, the nodes of the hierarchy
-- (level, node, cost).
-- Takes: nothing.
-- Gives: the table costs (label, cost).
CREATE OR REPLACE TEMP TABLE costs AS
SELECT
    page_known.label,
    CASE WHEN page_known.label IS NULL THEN 0.0 ELSE nodes.cost END AS cost
FROM kanon.page_known
LEFT JOIN nodes ON nodes.level = page_known.level AND nodes.node = page_known.node
