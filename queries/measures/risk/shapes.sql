-- Answers: the combinations of levels that the classes have: one, where each column has one level.
-- Reads: risk_class_steps, the classes with the level of each value (qi_level).
-- Takes: qi_level, of each quasi-identifier the column of its level.
-- Gives: qi_level.
SELECT DISTINCT qi_level
FROM kanon.risk_class_steps
ORDER BY qi_level
