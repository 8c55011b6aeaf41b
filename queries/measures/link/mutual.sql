-- Answers: pairs of one row on each side that match each other and nothing else.
-- Reads: pairs, the pairs of both sides that match (left_node, right_node); left_counts and right_counts, each how many
-- partners the nodes of a side have (node, matches).
-- Takes: nothing.
-- Gives: mutual.
SELECT count(*) AS mutual
FROM kanon.pairs
JOIN left_counts ON left_counts.node = pairs.left_node
JOIN right_counts ON right_counts.node = pairs.right_node
WHERE left_counts.matches = 1 AND right_counts.matches = 1
