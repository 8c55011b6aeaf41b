-- The release where suppressed rows are masked: they stay, with * in every quasi-identifier.
SELECT out_value AS out_name
FROM source
LEFT JOIN qi_mapping ON qi_mapping.value IS NOT DISTINCT FROM source.qi_key
LEFT JOIN suppressed_classes ON suppressed_classes.class_code = class_mapping.class_level
ORDER BY sort_key
