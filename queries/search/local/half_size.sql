-- Answers: the greatest number of a half label, and the most that one loses.
-- Reads: half_above, the half labels above each half tuple (label, cost).
-- Takes: nothing.
-- Gives: label, cost.
SELECT max(label) AS label, max(cost) AS cost
FROM half_above
