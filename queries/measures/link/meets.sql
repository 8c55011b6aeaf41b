-- Answers: what two values that match say together: the narrower one, or where neither lies within the other both.
-- Reads: left_labels and right_labels, each the distinct values of one side (label, code); matches, the pairs of values
-- that match (left_code, right_code); narrower, the pairs of values of which one lies within the other (left_code,
-- right_code, said).
-- Takes: nothing.
-- Gives: the table meets (left_label, right_label, said).
CREATE OR REPLACE TEMP TABLE meets AS
SELECT
    left_labels.label AS left_label,
    right_labels.label AS right_label,
    CASE
        WHEN found.left_code IS NULL THEN
            coalesce(left_labels.label, 'missing') || ' & ' || coalesce(right_labels.label, 'missing')
        ELSE found.said
    END AS said
FROM (SELECT DISTINCT left_code, right_code FROM kanon.matches) AS matched
JOIN left_labels ON left_labels.code = matched.left_code
JOIN right_labels ON right_labels.code = matched.right_code
LEFT JOIN (
    SELECT left_code, right_code, min(said) AS said
    FROM kanon.narrower
    GROUP BY left_code, right_code
) AS found ON found.left_code = matched.left_code AND found.right_code = matched.right_code
