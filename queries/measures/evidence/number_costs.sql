-- Answers: what each range of numbers costs: how wide it is beside the whole column.
-- Reads: labels, the labels of the release (code, label); spans, the numbers that each holds (code, low, high); places,
-- a row for each value of the source (position, bound).
-- Takes: nothing.
-- Gives: the table costs (label, cost).
CREATE OR REPLACE TEMP TABLE costs AS
SELECT
    labels.label,
    CASE
        WHEN labels.label IS NULL OR spans.low = spans.high THEN 0.0
        WHEN isfinite(spans.low) AND isfinite(spans.high) THEN least((spans.high - spans.low) / whole.width, 1.0)
    END AS cost
FROM labels
LEFT JOIN spans ON spans.code = labels.code
CROSS JOIN (
    SELECT CAST(max(bound) AS DOUBLE) - CAST(min(bound) AS DOUBLE) AS width
    FROM places
    WHERE position > 0
) AS whole
