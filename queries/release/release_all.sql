-- The release where no row is suppressed: every row that takes part, each quasi-identifier by its generalization.
SELECT out_value AS out_name
FROM source
LEFT JOIN qi_mapping ON qi_mapping.value IS NOT DISTINCT FROM source.qi_key
ORDER BY sort_key
