-- Answers: what all rows lose together by their labels.
-- Reads: labelled, the tuples of each label with a class (row_count, cost).
-- Takes: nothing.
-- Gives: loss.
SELECT sum(row_count * cost) AS loss
FROM labelled
