-- Answers: of two values that match, which one says more: it lies within the other. Equal ones do on both sides.
-- Reads: left_labels and right_labels, each the distinct values of one side (code, label, covers_missing).
-- Takes: nothing.
-- Gives: the table narrower (left_code, right_code, said).
CREATE OR REPLACE TEMP TABLE kanon.narrower AS
SELECT left_labels.code AS left_code, right_labels.code AS right_code, left_labels.label AS said
FROM left_labels
JOIN right_labels ON right_labels.label IS NOT DISTINCT FROM left_labels.label
UNION ALL
SELECT left_labels.code, right_labels.code, left_labels.label
FROM left_labels
CROSS JOIN right_labels
WHERE right_labels.label = '*' OR (left_labels.label IS NULL AND right_labels.covers_missing)
UNION ALL
SELECT left_labels.code, right_labels.code, right_labels.label
FROM left_labels
CROSS JOIN right_labels
WHERE left_labels.label = '*' OR (right_labels.label IS NULL AND left_labels.covers_missing)
