-- The release as one statement: mapping tables inlined, classes of fewer than k rows left out.
SELECT out_name
FROM (
    SELECT
        out_value AS out_name,
        count(*) OVER (PARTITION BY LIST_OF(class_value)) AS class_size
    FROM source
    LEFT JOIN qi_mapping ON qi_mapping.value IS NOT DISTINCT FROM source.qi_key
) AS generalized
WHERE class_size >= smallest_size
ORDER BY sort_key
