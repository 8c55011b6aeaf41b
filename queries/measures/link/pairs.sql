-- Answers: which nodes of both sides still match when one more column is looked at: only pairs that matched so far go
-- on.
-- Reads: pairs, the pairs of both sides that match (left_node, right_node); left_nodes and right_nodes, each the nodes
-- of one side (node, parent, signature); signature_matches, the pairs of signatures that match (left_signature,
-- right_signature).
-- Takes: nothing.
-- Gives: the table next_pairs (left_node, right_node).
CREATE OR REPLACE TEMP TABLE kanon.next_pairs AS
SELECT left_nodes.node AS left_node, right_nodes.node AS right_node
FROM kanon.pairs
JOIN left_nodes ON left_nodes.parent = pairs.left_node
JOIN signature_matches ON signature_matches.left_signature = left_nodes.signature
JOIN right_nodes
    ON right_nodes.parent = pairs.right_node
    AND right_nodes.signature = signature_matches.right_signature
