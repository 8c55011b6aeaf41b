-- Released values of one quasi-identifier that are no value of the level chosen (a masked row's * is one).
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
