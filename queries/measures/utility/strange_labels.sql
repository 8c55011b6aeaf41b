-- Answers: how many values of a column a release shares with one level, how many it has that are none of its values or
-- labels, and how many of these it lacks.
-- Reads: released, the rows of the release (value, as text); level_labels, the values or labels (label, as text).
-- Takes: nothing.
-- Gives: one row (shared, strange, lacking).
SELECT
    count(*) FILTER (WHERE released_values.is_there AND labels.is_there) AS shared,
    count(*) FILTER (WHERE labels.is_there IS NULL) AS strange,
    count(*) FILTER (WHERE released_values.is_there IS NULL) AS lacking
FROM (
    SELECT DISTINCT value, TRUE AS is_there
    FROM released
) AS released_values
FULL JOIN (
    SELECT DISTINCT label, TRUE AS is_there
    FROM level_labels
) AS labels ON labels.label IS NOT DISTINCT FROM released_values.value
