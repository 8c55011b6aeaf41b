-- Answers: nothing; classes are labelled by their aggregates.
-- Reads: aggregate_labels, the aggregates of the classes (part, label); labels, the labels that the search gave them
-- (part, label).
-- Takes: nothing.
-- Gives: the table labels, changed.
UPDATE labels SET label = aggregate_labels.label
FROM kanon.aggregate_labels
WHERE aggregate_labels.part = labels.part
