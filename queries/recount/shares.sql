-- The share that each value has in its class, beside its share of all rows.
SELECT
    counted.qi_value,
    counted.value,
    counted.row_count,
    counted.row_count / sum(counted.row_count) OVER (PARTITION BY LIST_OF(counted.qi_value)) AS share,
    reference.share AS expected
FROM counted
LEFT JOIN reference ON reference.value IS NOT DISTINCT FROM CAST(counted.value AS VARCHAR)
