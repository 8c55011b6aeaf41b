-- Answers: losses as whole numbers, so that a loss and two half labels fit into one number.
-- Reads: half_above, the half labels above each half tuple (tuple).
-- Takes: whole_cost and whole_label, loss and label in the type of whole numbers.
-- Gives: the table half_above (tuple, label, cost).
CREATE OR REPLACE TEMP TABLE half_above AS
SELECT tuple, whole_label AS label, whole_cost AS cost
FROM half_above
