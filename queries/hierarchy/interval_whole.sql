-- Whether every number is an integer.
SELECT coalesce(bool_and(NOT rounded AND units % CAST($unit AS HUGEINT) = 0), TRUE) AS whole
FROM interval_units
WHERE units IS NOT NULL
