-- Answers: the labels that were looked up join those by which prices are improved, with the tuples that may matter.
-- Reads: covers, the tuples below the labels that were looked up (label, cell, row_count, cost, rows_before, reduced);
-- label_values, what labels are worth (label, value); active, the labels there are (label).
-- Takes: $labels, how many at most; $fillers, the rows of each that always matter; $margin, by which a tuple may lose
-- more than its price.
-- Gives: further rows of the table active (label, cell, row_count, cost).
INSERT INTO active
SELECT covers.label, covers.cell, covers.row_count, covers.cost
FROM covers
SEMI JOIN (
    SELECT label_values.label
    FROM label_values
    ANTI JOIN active ON active.label = label_values.label
    ORDER BY label_values.value, label_values.label
    LIMIT $labels
) AS further ON further.label = covers.label
WHERE covers.rows_before < $fillers OR covers.reduced < $margin
