-- Answers: which values of one column on both sides may be of the same person: those that share a point, those that
-- both cover missing values, and * with everything.
-- Reads: left_labels and right_labels, each the distinct values of one side (code, label, covers_missing); left_points
-- and right_points, each the exact texts that a value of one side stands for (code, point).
-- Takes: nothing.
-- Gives: the table matches (left_code, right_code).
CREATE OR REPLACE TEMP TABLE kanon.matches AS
SELECT left_points.code AS left_code, right_points.code AS right_code
FROM left_points
JOIN right_points ON right_points.point = left_points.point
UNION
SELECT left_labels.code, right_labels.code
FROM left_labels
CROSS JOIN right_labels
WHERE left_labels.covers_missing AND right_labels.covers_missing
UNION
SELECT left_labels.code, right_labels.code
FROM left_labels
CROSS JOIN right_labels
WHERE left_labels.label = '*'
UNION
SELECT left_labels.code, right_labels.code
FROM left_labels
CROSS JOIN right_labels
WHERE right_labels.label = '*'
