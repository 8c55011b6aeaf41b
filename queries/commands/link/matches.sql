-- Which values of one column on both sides may be of the same person: those that share a point, those that both cover
-- missing values, and * with everything.
CREATE OR REPLACE TEMP TABLE matches AS
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
