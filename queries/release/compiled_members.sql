-- The release as one statement: each distinct tuple of positions belongs to exactly one class. A row with a value that
-- was not there when it was searched has no position, and is left out.
WITH placed AS (
    SELECT
        other_value AS other_column,
        qi_place AS qi_position
    FROM source_rows
    LEFT JOIN qi_domain ON qi_domain.value = source_rows.qi_key
),
members AS (
    SELECT tuples.qi_position, classes.label_name
    FROM tuples
    JOIN classes ON classes.part = tuples.part
),
released AS (
    SELECT out_value AS out_column
    FROM placed
    JOIN members ON members.qi_position = placed.qi_position
)
SELECT out_column AS out_name
FROM released
ORDER BY sort_key
