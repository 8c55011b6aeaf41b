-- The release as one statement where classes are not boxes of ranges, or share tuples: each class takes some rows, most
-- often all, of each distinct tuple that is named.
SELECT out_value AS out_name
FROM (
    SELECT
        numbered.*,
        qi_domain.position AS qi_position,
        row_number() OVER (PARTITION BY LIST_OF(qi_domain.position) ORDER BY numbered.drawn) AS turn
    FROM (SELECT *, random() AS drawn, row_number() OVER () AS number FROM source) AS numbered
    LEFT JOIN qi_domain ON qi_domain.value IS NOT DISTINCT FROM numbered.qi_key
) AS placed
JOIN tuples
    ON tuples.qi_position = placed.qi_position
    AND placed.turn > tuples.rows_before
    AND placed.turn <= tuples.last_row
JOIN classes ON classes.part = tuples.part
ORDER BY sort_key
