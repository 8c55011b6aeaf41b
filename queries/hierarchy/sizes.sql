-- Answers: the largest code of every level, and the most values below one released value there.
-- Reads: weight, the released values of a hierarchy (level, code, leaves).
-- Takes: nothing.
-- Gives: labels, most_leaves.
SELECT max(code) AS labels, max(leaves) AS most_leaves
FROM weight
GROUP BY level
ORDER BY level
