-- Answers: the near labels that all tuples below are looked up of: those worth least that are to become active, and
-- those that prove more if what they are worth is known exactly.
-- Reads: near_labels, the labels that could be worth taking (label, label_a, label_b, cost, value, is_known); active,
-- the labels by which prices are improved (label).
-- Takes: $labels, how many become active at most; $all_labels, whether all near labels are looked up.
-- Gives: the table covered (label, label_a, label_b, cost).
CREATE OR REPLACE TEMP TABLE covered AS
WITH further AS (
    SELECT near_labels.label
    FROM near_labels
    ANTI JOIN active ON active.label = near_labels.label
    WHERE near_labels.is_known OR near_labels.value < 0
    ORDER BY near_labels.value, near_labels.label
    LIMIT $labels
)
SELECT label, label_a, label_b, cost
FROM near_labels
WHERE $all_labels OR (value < 0 AND NOT is_known) OR label IN (SELECT label FROM further)
