-- The classes by a model.
SELECT qi_value, NULL AS size, NULL AS holders, violates
FROM measured
