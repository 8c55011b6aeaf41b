-- Answers: labels of which nobody knows what they cost.
-- Reads: page_label_counts, the labels of the release with their rows (label).
-- Takes: nothing.
-- Gives: the table costs (label, cost).
CREATE OR REPLACE TEMP TABLE costs AS
SELECT label, CAST(NULL AS DOUBLE) AS cost
FROM kanon.page_label_counts
