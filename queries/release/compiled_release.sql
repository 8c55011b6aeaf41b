-- The release as one statement: each row by its generalized values; the classes of too few rows are told by a count
-- beside each row. Values that the mapping tables do not have were not there when it was searched: their rows are left
-- out.
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
        out_column,
        CASE WHEN count(*) OVER (PARTITION BY LIST_OF(key_column)) < smallest THEN 1 ELSE 0 END AS left_out
    FROM generalized
),
released AS (
    SELECT out_released AS out_column
    FROM judged
    WHERE is_kept
)
SELECT out_column AS out_name
FROM released
ORDER BY sort_key
