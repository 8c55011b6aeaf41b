-- Answers: how many rows of the other side every row of a node of this side matches.
-- Reads: pairs, the pairs of both sides that match (this_node, other_node); this_sizes and other_sizes, each the nodes
-- of a side with their rows (node, row_count).
-- Takes: other_node and this_node, the columns of nodes of this and of the other side.
-- Gives: the table counts (node, row_count, matches).
CREATE OR REPLACE TEMP TABLE counts AS
SELECT
    pairs.this_node AS node,
    any_value(this_sizes.row_count) AS row_count,
    CAST(sum(other_sizes.row_count) AS BIGINT) AS matches
FROM kanon.pairs
JOIN this_sizes ON this_sizes.node = pairs.this_node
JOIN other_sizes ON other_sizes.node = pairs.other_node
GROUP BY pairs.this_node
