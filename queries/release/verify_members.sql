-- Answers: how many released values of one quasi-identifier are no value of the level chosen (a masked row's * is one).
-- Reads: written, what was written; mapping, the quasi-identifier's mapping table.
-- Takes: qi_value, its column in what was written; label, the column of the level; $masked, whether rows are masked.
-- Gives: foreign_values.
SELECT count(*) AS foreign_values
FROM (
    SELECT DISTINCT coalesce(CAST(qi_value AS VARCHAR), '') AS value
    FROM written
) AS present
WHERE
    NOT EXISTS (
        SELECT 1 FROM mapping WHERE coalesce(CAST(mapping.label AS VARCHAR), '') = present.value
    )
    AND NOT (present.value = '*' AND $masked)
