-- Answers: one row for each position of a dimension: its label and its measure.
-- Reads: domain, the distinct values of a column (position, label, ordered, measure).
-- Takes: nothing.
-- Gives: the table places (position, label, bound, measure).
CREATE OR REPLACE TEMP TABLE places AS
SELECT
    position,
    min(label) AS label,
    min(ordered) AS bound,
    min(measure) AS measure
FROM domain
GROUP BY position
