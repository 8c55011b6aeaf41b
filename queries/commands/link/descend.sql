-- Every combination of one side goes on to the node of its next column. What matches nothing is left behind.
CREATE OR REPLACE TEMP TABLE groups AS
SELECT groups.number, nodes.node AS node, groups.row_count, groups.cell_text
FROM groups
JOIN signatures ON signatures.label IS NOT DISTINCT FROM groups.this_text
JOIN nodes ON nodes.parent = groups.node AND nodes.signature = signatures.signature
