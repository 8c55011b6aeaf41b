-- Answers: whether every number is an integer.
-- Reads: interval_units, the numbers as whole units (units, rounded).
-- Takes: $unit, the units of one.
-- Gives: whole.
SELECT coalesce(bool_and(NOT rounded AND units % CAST($unit AS HUGEINT) = 0), TRUE) AS whole
FROM kanon.interval_units
WHERE units IS NOT NULL
