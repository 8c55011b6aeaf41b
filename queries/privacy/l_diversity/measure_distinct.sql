-- Answers: how many values each class holds; a missing one is none.
-- Reads: counted (the classes' quasi-identifiers, value).
-- Takes: $l, the fewest.
-- Gives: each class with its measure, and whether that violates the threshold.
SELECT qi_value, count(DISTINCT value) AS measure, count(DISTINCT value) < $l AS violates
FROM counted
GROUP BY qi_value
