-- Answers: how many values a release has of a column that are none of the values or labels of one level.
-- Reads: released, the rows of the release (value, as text); level_labels, the values or labels (label, as text).
-- Takes: nothing.
-- Gives: one row (strange).
SELECT count(*) AS strange
FROM (
    SELECT DISTINCT value
    FROM released
) AS released_values
LEFT JOIN (
    SELECT DISTINCT label, TRUE AS is_there
    FROM level_labels
) AS labels ON labels.label IS NOT DISTINCT FROM released_values.value
WHERE labels.is_there IS NULL
