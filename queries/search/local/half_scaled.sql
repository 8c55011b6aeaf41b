-- Answers: losses as whole numbers, so that a loss and two half labels fit into one number.
-- Reads: half_labels, the half labels.
-- Takes: whole_cost and whole_label, loss and label in the type of whole numbers.
-- Gives: the table half_labels (label, cost).
CREATE OR REPLACE TEMP TABLE half_labels AS
SELECT whole_label AS label, whole_cost AS cost
FROM half_labels
