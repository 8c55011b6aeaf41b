-- The mapping table of one quasi-identifier: for each of its values the code and the label of every level.
-- The source joins it by value IS NOT DISTINCT FROM its column, so that NULL finds its row.
CREATE OR REPLACE TEMP TABLE mapping AS
SELECT
    leaf.value AS value,
    level_code AS level_name,
    level_label AS level_label_name
FROM leaf
JOIN weight AS level_node
    ON level_node.level = level_number AND level_node.node_key IS NOT DISTINCT FROM leaf.level_key
