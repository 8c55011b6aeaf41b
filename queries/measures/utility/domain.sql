-- Answers: the domain of one column: the values of the source in their order, a missing one first, each with its rows,
-- the number that it stands for, and where that lies between 0 and 1. Values that are equal in the type of the order
-- share a rank.
-- Reads: ordered_values, the distinct values of a column with their places (value, position, ordered, label, measure);
-- counted_values, the distinct values of a column with their rows (value, row_count).
-- Takes: number_value, the number that measures a value; value_text, the text of a value.
-- Gives: the table domain (rank, value, is_missing, keys, number, measure, row_count).
CREATE OR REPLACE TEMP TABLE domain AS
SELECT
    dense_rank() OVER (ORDER BY ordered_values.position) - 1 AS rank,
    counted.value,
    counted.value IS NULL AS is_missing,
    [value_text, CAST(counted.value AS VARCHAR), ordered_values.label] AS keys,
    number_value AS number,
    CASE WHEN counted.value IS NOT NULL THEN ordered_values.measure END AS measure,
    counted.row_count
FROM counted_values AS counted
JOIN ordered_values ON ordered_values.value IS NOT DISTINCT FROM counted.value
