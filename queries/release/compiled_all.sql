-- The release as one statement where no row is left out: each row by its generalized values.
WITH generalized AS (
    SELECT out_value AS out_column
    FROM source_rows
    LEFT JOIN qi_mapping ON qi_mapping.value = source_rows.qi_key
    WHERE (source_rows.qi_key IS NULL OR qi_mapping.value IS NOT NULL)
),
released AS (
    SELECT out_released AS out_column
    FROM generalized
)
SELECT out_column AS out_name
FROM released
ORDER BY sort_key
