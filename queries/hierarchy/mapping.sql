-- Answers: the mapping table of one quasi-identifier: for each of its values the code and the label of every level. The
-- source joins it by value IS NOT DISTINCT FROM its column, so that NULL finds its row.
-- Reads: leaf, the values of a hierarchy with a key for each level (value, level_key); weight, the released values of a
-- hierarchy (level, node_key).
-- Takes: level_code, of each level the column of its codes; level_key, of each level the column that tells its nodes
-- apart; level_label, of each level the expression or the column of its labels; level_label_name, of each level the
-- name of its labels here; level_name, of each level the name of its column here; level_node, of each level the
-- released values by the name of their join; level_number, of each level its number; node_key, the column that tells
-- released values apart.
-- Gives: the table mapping (value, level_name, level_label_name).
CREATE OR REPLACE TEMP TABLE mapping AS
SELECT
    leaf.value AS value,
    level_code AS level_name,
    level_label AS level_label_name
FROM kanon.leaf
JOIN weight AS level_node
    ON level_node.level = level_number AND level_node.node_key IS NOT DISTINCT FROM leaf.level_key
