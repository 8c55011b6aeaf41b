-- Answers: the persons of the population that each class of the table stands for.
-- Reads: matched (the classes' quasi-identifiers, size in the table, persons of the population).
-- Takes: $k_map, the fewest.
-- Gives: each class with its measure, and whether that violates the threshold.
SELECT qi_value, persons AS measure, persons < $k_map AS violates
FROM matched
WHERE size > 0
