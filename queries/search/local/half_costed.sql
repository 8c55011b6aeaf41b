-- Answers: the half labels above each half tuple, with what they lose.
-- Reads: half_above, the half labels above each half tuple (tuple, label); half_labels, the half labels (label, cost).
-- Takes: nothing.
-- Gives: the table half_above (tuple, label, cost).
CREATE OR REPLACE TEMP TABLE half_above AS
SELECT half_above.tuple, half_labels.label, half_labels.cost
FROM half_above
JOIN half_labels ON half_labels.label = half_above.label
