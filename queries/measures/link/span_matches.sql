-- Answers: values whose ranges overlap.
-- Reads: left_spans and right_spans, each the ranges that values of one side stand for (code, low, high).
-- Takes: nothing.
-- Gives: further rows of the table matches (left_code, right_code).
INSERT INTO kanon.matches
SELECT left_spans.code AS left_code, right_spans.code AS right_code
FROM left_spans
JOIN right_spans ON left_spans.low <= right_spans.high AND right_spans.low <= left_spans.high
