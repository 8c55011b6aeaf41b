-- Answers: the labels that are worth least join those by which prices are improved, with the tuples that may matter.
-- Reads: covers, the tuples below the near labels (label, cell, row_count, cost, rows_before, reduced); label_values,
-- what labels are worth (label, value); active, the labels there are (label).
-- Takes: $labels, how many at most; $fillers, the rows of each that always matter; $margin, by which a tuple may lose
-- more than its price.
-- Gives: further rows of the table active (label, cell, row_count, cost).
INSERT INTO active
SELECT covers.label, covers.cell, covers.row_count, covers.cost
FROM covers
SEMI JOIN (SELECT label FROM label_values ORDER BY value, label LIMIT $labels) AS best ON best.label = covers.label
ANTI JOIN (SELECT DISTINCT label FROM active) AS known ON known.label = covers.label
WHERE covers.rows_before < $fillers OR covers.reduced < $margin
