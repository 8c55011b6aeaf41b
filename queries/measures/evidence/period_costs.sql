-- Answers: what each range of periods costs: how long it is beside the whole column. What is a value itself costs
-- nothing.
-- Reads: labels, the labels of the release (code, label, bare); spans, the microseconds that each holds (code, low,
-- high); places, a row for each value of the source (label).
-- Takes: $span, how long the whole column is, in microseconds.
-- Gives: the table costs (label, cost).
CREATE OR REPLACE TEMP TABLE costs AS
SELECT
    labels.label,
    CASE
        WHEN labels.label IS NULL OR $span = 0 OR labels.bare IN (SELECT places.label FROM places) THEN 0.0
        ELSE least((spans.high - spans.low + 1) / CAST($span AS DOUBLE), 1.0)
    END AS cost
FROM labels
LEFT JOIN spans ON spans.code = labels.code
