-- The release as one statement where classes are not boxes of ranges, or share tuples: each class takes some rows, most
-- often all, of each distinct tuple that is named.
WITH placed AS (
    SELECT
        other_value AS other_column,
        qi_place AS qi_position,
        random() AS drawn
    FROM source_rows
    LEFT JOIN qi_domain ON qi_domain.value = source_rows.qi_key
),
dealt AS (
    SELECT
        other_column,
        qi_position,
        row_number() OVER (PARTITION BY LIST_OF(qi_position) ORDER BY drawn) AS turn
    FROM placed
),
released AS (
    SELECT out_value AS out_column
    FROM dealt
    JOIN tuples
        ON tuples.qi_position = dealt.qi_position
        AND dealt.turn > tuples.rows_before
        AND dealt.turn <= tuples.last_row
    JOIN classes ON classes.part = tuples.part
)
SELECT out_column AS out_name
FROM released
ORDER BY sort_key
