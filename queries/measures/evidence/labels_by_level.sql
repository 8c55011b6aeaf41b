-- Answers: how many labels a hierarchy has at each level.
-- Reads: weight, the released values of a hierarchy (level, label).
-- Takes: nothing.
-- Gives: level, labels.
SELECT level, count(label) AS labels
FROM weight
GROUP BY level
ORDER BY level
