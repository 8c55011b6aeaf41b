-- The release: every row that takes part and is not suppressed, each quasi-identifier by its generalization.
SELECT out_value AS out_name
FROM source
LEFT JOIN qi_mapping ON qi_mapping.value IS NOT DISTINCT FROM source.qi_key
WHERE NOT EXISTS (
    SELECT 1
    FROM suppressed_classes
    WHERE suppressed_classes.class_code = class_mapping.class_level
)
ORDER BY sort_key
