-- Answers: how many rows the smallest class of a release holds; a missing value is a value.
-- Reads: released, the release as it was written: qi_name.
-- Takes: nothing.
-- Gives: one row: smallest_class.
SELECT min(class_rows) AS smallest_class
FROM (SELECT count(*) AS class_rows FROM released GROUP BY qi_name) AS classes
