-- Values whose ranges overlap.
INSERT INTO matches
SELECT left_spans.code AS left_code, right_spans.code AS right_code
FROM left_spans
JOIN right_spans ON left_spans.low <= right_spans.high AND right_spans.low <= left_spans.high
