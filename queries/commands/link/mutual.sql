-- Pairs of one row on each side that match each other and nothing else.
SELECT count(*) AS mutual
FROM pairs
JOIN left_counts ON left_counts.node = pairs.left_node
JOIN right_counts ON right_counts.node = pairs.right_node
WHERE left_counts.matches = 1 AND right_counts.matches = 1
