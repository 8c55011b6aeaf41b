-- Answers: the word for rare values stands for every text of the other side: but for those that are written beside it,
-- where all rows are at one level and these are not rare then.
-- Reads: labels, the distinct values of one side (code, bare); other_labels, those of the other (bare).
-- Takes: $rest, the word; $beside, whether a text may be rare that is written beside it.
-- Gives: further rows of the table points (code, point).
INSERT INTO points
SELECT labels.code, other_labels.bare AS point
FROM labels
CROSS JOIN other_labels
LEFT JOIN labels AS written ON written.bare = other_labels.bare
WHERE labels.bare = $rest AND other_labels.bare <> $rest AND ($beside OR written.bare IS NULL)
