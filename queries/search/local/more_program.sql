-- Answers: labels that are worth taking, or nearly so, join the program, with the tuples that may matter.
-- Reads: covers, the tuples below the labels that were looked up (label, cell, cost, rows_before, reduced);
-- label_values, what labels are worth (label, value); program, the labels there are with their tuples (label, cell).
-- Takes: $labels, how many at most; $most, below which a label is nearly worth taking; $fillers, the rows of each that
-- always matter; $margin, by which a tuple may lose more than its price.
-- Gives: further rows of the table program (label, cell, cost).
INSERT INTO program
SELECT covers.label, covers.cell, covers.cost
FROM covers
SEMI JOIN (SELECT label FROM label_values WHERE value < $most ORDER BY value, label LIMIT $labels) AS best
    ON best.label = covers.label
ANTI JOIN program AS known ON known.label = covers.label AND known.cell = covers.cell
WHERE covers.rows_before < $fillers OR covers.reduced < $margin
