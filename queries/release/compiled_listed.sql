-- The release as one statement where privacy models judged the classes: those that violate one are listed by the codes
-- of their values.
WITH generalized AS (
    SELECT
        out_value AS out_column,
        class_value AS class_column
    FROM source_rows
    LEFT JOIN qi_mapping ON qi_mapping.value = source_rows.qi_key
    WHERE (source_rows.qi_key IS NULL OR qi_mapping.value IS NOT NULL)
),
judged AS (
    SELECT
        generalized.out_column,
        CASE WHEN violating.is_listed = 1 THEN 1 ELSE 0 END AS left_out
    FROM generalized
    LEFT JOIN violating ON violating.class_column = generalized.class_column
),
released AS (
    SELECT out_released AS out_column
    FROM judged
    WHERE is_kept
)
SELECT out_column AS out_name
FROM released
ORDER BY sort_key
