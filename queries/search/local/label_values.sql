-- Answers: what each near label is worth: the sum over its rows of loss less price, over the cheapest k at least.
-- Reads: covers, the tuples below the labels that were looked up (label, row_count, reduced, rows_before); near_labels,
-- the others with what they are worth at least (label, value).
-- Takes: $k, the fewest rows of a class; $most, below which a label is kept.
-- Gives: the table label_values (label, value).
CREATE OR REPLACE TEMP TABLE label_values AS
WITH exact AS MATERIALIZED (
    SELECT
        label,
        sum(CASE WHEN reduced < 0 THEN row_count ELSE greatest(0, least(row_count, $k - rows_before)) END * reduced)
            AS value
    FROM covers
    GROUP BY label
)
SELECT label, value
FROM exact
WHERE value < $most
UNION ALL
SELECT near_labels.label, near_labels.value
FROM near_labels
ANTI JOIN exact ON exact.label = near_labels.label
