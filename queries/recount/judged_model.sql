-- Answers: which classes violate a model. They have a size once, where they are judged by k.
-- Reads: measured, the classes by the model: qi_value, violates.
-- Takes: nothing.
-- Gives: qi_value, size, holders, violates.
SELECT qi_value, NULL AS size, NULL AS holders, violates
FROM measured
