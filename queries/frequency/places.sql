-- One row for each position of a dimension: its label and its measure.
CREATE OR REPLACE TEMP TABLE places AS
SELECT
    position,
    min(label) AS label,
    min(ordered) AS bound,
    min(measure) AS measure
FROM domain
GROUP BY position
