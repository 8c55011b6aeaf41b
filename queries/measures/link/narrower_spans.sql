-- Answers: a range of one side that lies within one of the other.
-- Reads: left_spans and right_spans, each the ranges that values of one side stand for (code, low, high); left_labels
-- and right_labels, each the distinct values of one side (code, label).
-- Takes: nothing.
-- Gives: further rows of the table narrower (left_code, right_code, said).
INSERT INTO kanon.narrower
SELECT
    left_spans.code AS left_code,
    right_spans.code AS right_code,
    CASE
        WHEN left_spans.low >= right_spans.low AND left_spans.high <= right_spans.high THEN left_labels.label
        ELSE right_labels.label
    END AS said
FROM left_spans
JOIN right_spans ON left_spans.low <= right_spans.high AND right_spans.low <= left_spans.high
JOIN left_labels ON left_labels.code = left_spans.code
JOIN right_labels ON right_labels.code = right_spans.code
WHERE
    (left_spans.low >= right_spans.low AND left_spans.high <= right_spans.high)
    OR (right_spans.low >= left_spans.low AND right_spans.high <= left_spans.high)
