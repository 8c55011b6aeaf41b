-- Answers: how many classes a release has, and how many rows the smallest and the largest of them hold.
-- Reads: released, the release as it was written: qi_name.
-- Takes: nothing.
-- Gives: one row: all_classes, smallest_class, largest_class.
SELECT count(*) AS all_classes, min(class_rows) AS smallest_class, max(class_rows) AS largest_class
FROM (SELECT count(*) AS class_rows FROM released GROUP BY qi_name) AS classes
