-- Answers: the labels of a column that are no value of the source: ranges, sets, or what no source row holds.
-- Reads: labels, the labels of one column of the release (code, label, bare); points, the values that each label stands
-- for (code).
-- Takes: nothing.
-- Gives: the table open_labels (code, bare).
CREATE OR REPLACE TEMP TABLE open_labels AS
SELECT labels.code, labels.bare
FROM labels
LEFT JOIN (SELECT DISTINCT code FROM points) AS known ON known.code = labels.code
WHERE known.code IS NULL AND labels.bare IS NOT NULL AND labels.label <> '*'
