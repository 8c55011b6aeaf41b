-- Answers: what each near label is worth: the sum over its rows of loss less price, over the cheapest k at least.
-- Reads: covers, the tuples below the near labels (label, row_count, reduced, rows_before).
-- Takes: $k, the fewest rows of a class; $most, below which a label is kept.
-- Gives: the table label_values (label, value).
CREATE OR REPLACE TEMP TABLE label_values AS
SELECT
    label,
    sum(CASE WHEN reduced < 0 THEN row_count ELSE greatest(0, least(row_count, $k - rows_before)) END * reduced)
        AS value
FROM covers
GROUP BY label
HAVING value < $most
