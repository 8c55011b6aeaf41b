-- Answers: where a value of one quasi-identifier stands that its hierarchy does not cover: the first file that holds
-- one, and the first place in it; no row where none is found.
-- Reads: located, where the values of the column stand in its files (file, position, value); source, the rows of the
-- source (qi_key); qi_mapping, the mapping table of the quasi-identifier (value, level_0).
-- Takes: qi_key, its column in the source.
-- Gives: file, position.
SELECT located.file, min(located.position) AS position
FROM located
WHERE located.value IN (
    SELECT source.qi_key
    FROM source
    LEFT JOIN qi_mapping ON qi_mapping.value IS NOT DISTINCT FROM source.qi_key
    WHERE qi_mapping.level_0 IS NULL
)
GROUP BY located.file
ORDER BY located.file
LIMIT 1
