-- Answers: labels that were looked up join those by which prices are improved, or the program, with the tuples that may
-- matter.
-- Reads: covers, the tuples below the labels that were looked up (label, cell, row_count, cost, rows_before, reduced);
-- label_values, what labels are worth (label, value); active, the labels there are with their tuples (label, cell).
-- Takes: $labels, how many at most; $most, below which a label is worth enough; $known_too, whether labels that are
-- there may get further tuples; $fillers, the rows of each that always matter; $margin, by which a tuple may lose more
-- than its price.
-- Gives: further rows of the table active (label, cell, row_count, cost).
INSERT INTO active
SELECT covers.label, covers.cell, covers.row_count, covers.cost
FROM covers
SEMI JOIN (
    SELECT label
    FROM label_values
    WHERE value < $most AND ($known_too OR label NOT IN (SELECT label FROM active))
    ORDER BY value, label
    LIMIT $labels
) AS further ON further.label = covers.label
ANTI JOIN active AS known ON known.label = covers.label AND known.cell = covers.cell
WHERE covers.rows_before < $fillers OR covers.reduced < $margin
