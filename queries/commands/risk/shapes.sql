-- The combinations of levels that the classes have: one, where each column has one level.
SELECT DISTINCT qi_level
FROM class_steps
ORDER BY qi_level
