-- Answers: the greatest number of a half label, and the most that one loses.
-- Reads: half_labels, the half labels (label, cost).
-- Takes: nothing.
-- Gives: label, cost.
SELECT max(label) AS label, max(cost) AS cost
FROM half_labels
