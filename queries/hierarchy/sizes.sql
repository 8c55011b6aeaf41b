-- The largest code of every level, and the most values below one released value there.
SELECT max(code) AS labels, max(leaves) AS most_leaves
FROM weight
GROUP BY level
ORDER BY level
