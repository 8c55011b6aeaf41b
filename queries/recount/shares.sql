-- Answers: the share that each value has in its class, beside its share of all rows.
-- Reads: counted, the values of the classes: qi_value, value, row_count; reference, those of all rows: value, share.
-- Takes: nothing.
-- Gives: qi_value, value, row_count, share and expected, the share of all rows: NULL for a value that none of these
-- has.
SELECT
    counted.qi_value,
    counted.value,
    counted.row_count,
    counted.row_count / sum(counted.row_count) OVER (PARTITION BY LIST_OF(counted.qi_value)) AS share,
    reference.share AS expected
FROM counted
LEFT JOIN reference ON reference.value IS NOT DISTINCT FROM CAST(counted.value AS VARCHAR)
