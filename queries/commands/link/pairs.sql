-- Which nodes of both sides still match when one more column is looked at: only pairs that matched so far go on.
CREATE OR REPLACE TEMP TABLE next_pairs AS
SELECT left_nodes.node AS left_node, right_nodes.node AS right_node
FROM pairs
JOIN left_nodes ON left_nodes.parent = pairs.left_node
JOIN signature_matches ON signature_matches.left_signature = left_nodes.signature
JOIN right_nodes
    ON right_nodes.parent = pairs.right_node
    AND right_nodes.signature = signature_matches.right_signature
