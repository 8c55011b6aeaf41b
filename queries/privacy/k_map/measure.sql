-- k-map: the persons of the population that each class stands for.
SELECT qi_value, persons AS measure, persons < $k_map AS violates
FROM matched
WHERE size > 0
