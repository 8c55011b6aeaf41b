-- Answers: which classes are too small.
-- Reads: sizes, the classes: qi_value, size, holders.
-- Takes: $k.
-- Gives: qi_value, size, holders, violates.
SELECT qi_value, size, holders, holders < $k AS violates
FROM sizes
