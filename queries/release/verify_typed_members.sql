-- Answers: how many released values of one quasi-identifier that keeps its values and its type are none of the source's
-- (a masked row's * is one). Values that are equal in their type count as equal, however they are written.
-- Reads: written, what was written; mapping, the quasi-identifier's mapping table.
-- Takes: qi_value, its column in what was written; typed_value, a written value in its type; label, the column of the
-- values' labels; $masked, whether rows are masked.
-- Gives: foreign_values.
SELECT count(*) AS foreign_values
FROM (
    SELECT DISTINCT CAST(qi_value AS VARCHAR) AS value
    FROM written
) AS present
WHERE
    NOT EXISTS (
        SELECT 1
        FROM mapping
        WHERE
            mapping.value IS NOT DISTINCT FROM typed_value
            -- A text that is no value of the type is not the missing one.
            AND (
                typed_value IS NOT NULL
                OR coalesce(present.value, '') IN ('', coalesce(CAST(mapping.label AS VARCHAR), ''))
            )
    )
    AND NOT (coalesce(present.value, '') = '*' AND $masked)
