-- The release as one statement: each distinct tuple of positions lies in the ranges of exactly one class.
WITH members AS (
    SELECT tuples.qi_position, classes.label_name
    FROM (
        SELECT DISTINCT qi_domain.position AS qi_position
        FROM source
        LEFT JOIN qi_domain ON qi_domain.value IS NOT DISTINCT FROM source.qi_key
    ) AS tuples
    JOIN classes ON tuples.qi_position BETWEEN classes.qi_low AND classes.qi_high
)
SELECT out_value AS out_name
FROM source
LEFT JOIN qi_domain ON qi_domain.value IS NOT DISTINCT FROM source.qi_key
JOIN members ON members.qi_position = qi_domain.position
ORDER BY sort_key
