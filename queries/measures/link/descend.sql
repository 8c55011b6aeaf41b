-- Answers: every combination of one side goes on to the node of its next column. What matches nothing is left behind.
-- Reads: groups, the distinct rows of one side with their number (number, row_count, cell_text, this_text, node);
-- signatures, the signatures of values of one side (label, signature); nodes, the nodes of one side (node, parent,
-- signature).
-- Takes: cell_text, of each column its text; this_text, the column of texts.
-- Gives: the table groups (number, node, row_count, cell_text).
CREATE OR REPLACE TEMP TABLE groups AS
SELECT groups.number, nodes.node AS node, groups.row_count, groups.cell_text
FROM groups
JOIN signatures ON signatures.label IS NOT DISTINCT FROM groups.this_text
JOIN nodes ON nodes.parent = groups.node AND nodes.signature = signatures.signature
