-- Answers: a label, set or value of one side whose points are all shared by the other. The label of a tree or a set is
-- no point of its own here: what lies below it is.
-- Reads: left_labels and right_labels, each the distinct values of one side (code, label); left_inner and right_inner,
-- each the exact texts within a value of one side (code, point).
-- Takes: nothing.
-- Gives: further rows of the table narrower (left_code, right_code, said).
INSERT INTO kanon.narrower
SELECT
    shared.left_code,
    shared.right_code,
    CASE WHEN shared.points = left_sizes.points THEN left_labels.label ELSE right_labels.label END AS said
FROM (
    SELECT left_inner.code AS left_code, right_inner.code AS right_code, count(*) AS points
    FROM left_inner
    JOIN right_inner ON right_inner.point = left_inner.point
    GROUP BY left_inner.code, right_inner.code
) AS shared
JOIN (SELECT code, count(*) AS points FROM left_inner GROUP BY code) AS left_sizes
    ON left_sizes.code = shared.left_code
JOIN (SELECT code, count(*) AS points FROM right_inner GROUP BY code) AS right_sizes
    ON right_sizes.code = shared.right_code
JOIN left_labels ON left_labels.code = shared.left_code
JOIN right_labels ON right_labels.code = shared.right_code
WHERE shared.points = left_sizes.points OR shared.points = right_sizes.points
