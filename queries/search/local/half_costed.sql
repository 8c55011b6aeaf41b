-- Answers: the half labels above each half tuple, with what they lose; as whole numbers, so that a loss and two half
-- labels fit into one number, or as they are.
-- Reads: half_above, the half labels above each half tuple (tuple, label); half_labels, the half labels (label).
-- Takes: counted_label and counted_cost, label and loss of a half label as they are to be kept.
-- Gives: the table half_above (tuple, label, cost).
CREATE OR REPLACE TEMP TABLE half_above AS
WITH kept AS (
    SELECT label, counted_label AS kept_label, counted_cost AS cost
    FROM half_labels
)
SELECT half_above.tuple, kept.kept_label AS label, kept.cost
FROM half_above
JOIN kept ON kept.label = half_above.label
