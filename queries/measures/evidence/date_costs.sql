-- Answers: what each range of dates costs: how far apart its ends are beside those of the whole column.
-- Reads: labels, the labels of the release (label, bare); places, a row for each value of the source (label, measure).
-- Takes: nothing.
-- Gives: the table costs (label, cost).
CREATE OR REPLACE TEMP TABLE costs AS
SELECT
    ends.label,
    CASE WHEN ends.label IS NULL OR ends.first = ends.last THEN 0.0 ELSE upper_place.measure - lower_place.measure END
        AS cost
FROM (
    SELECT
        label,
        regexp_replace(bare, '(/| to ).*$', '') AS first,
        regexp_replace(bare, '^.*(/| to )', '') AS last
    FROM labels
) AS ends
LEFT JOIN places AS lower_place ON lower_place.label = ends.first
LEFT JOIN places AS upper_place ON upper_place.label = ends.last
