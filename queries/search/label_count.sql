-- Answers: how many different labels one dimension has in the release.
-- Reads: labels, the labels of the classes in one dimension (label).
-- Takes: nothing.
-- Gives: labels.
SELECT count(DISTINCT label) AS labels
FROM labels
