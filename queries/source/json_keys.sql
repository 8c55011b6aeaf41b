-- Answers: the keys of the objects in JSON files, in how many they stand, and whether one of these has a key twice.
-- Reads: records, what stands in the files (json).
-- Takes: nothing.
-- Gives: key, NULL for what is no object or an empty one; number, of them objects; repeated.
WITH shapes AS (
    SELECT json_type(json) AS kind, json_keys(json) AS keys, count(*) AS times
    FROM records
    GROUP BY ALL
), keyed AS (
    SELECT
        unnest(CASE WHEN len(keys) > 0 THEN list_distinct(keys) ELSE [NULL] END) AS key,
        times,
        coalesce(kind, 'NULL') = 'OBJECT' AS is_object,
        len(keys) > len(list_distinct(keys)) AS repeated
    FROM shapes
)
SELECT
    key,
    CAST(sum(times) AS BIGINT) AS number,
    CAST(sum(CASE WHEN is_object THEN times ELSE 0 END) AS BIGINT) AS objects,
    bool_or(repeated) AS repeated
FROM keyed
GROUP BY key
ORDER BY number DESC, key
