-- Answers: the classes that violate distinct l-diversity: they hold fewer than l values. A missing value (0) is none.
-- Reads: class_counts (the classes' key, value).
-- Takes: $l.
-- Gives: key_code, TRUE for each of these classes.
SELECT key_code, TRUE AS violates
FROM class_counts
GROUP BY key_code
HAVING count(CASE WHEN value > 0 THEN 1 END) < $l
