-- The release: every row that takes part, its quasi-identifiers by the labels of the class that its tuple is in.
SELECT out_value AS out_name
FROM source
LEFT JOIN qi_domain ON qi_domain.value IS NOT DISTINCT FROM source.qi_key
JOIN assigned ON assigned.qi_position = qi_domain.position
JOIN released_classes ON released_classes.part = assigned.part
ORDER BY sort_key
