-- Answers: the classes that violate a model, with what they reach of it: counts only, no value.
-- Reads: measured, the classes by the model: qi_value, measure, violates; sizes, their rows: qi_value, size.
-- Takes: nothing.
-- Gives: class_rows, reached.
SELECT CAST(sizes.size AS BIGINT) AS class_rows, CAST(measured.measure AS DOUBLE) AS reached
FROM measured
JOIN sizes ON sizes.qi_value IS NOT DISTINCT FROM measured.qi_value
WHERE measured.violates
