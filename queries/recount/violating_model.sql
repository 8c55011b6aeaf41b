-- The classes that violate a privacy model, with what they reach of it.
SELECT CAST(sizes.size AS BIGINT) AS class_rows, CAST(measured.measure AS DOUBLE) AS reached
FROM measured
JOIN sizes ON sizes.qi_value IS NOT DISTINCT FROM measured.qi_value
WHERE measured.violates
