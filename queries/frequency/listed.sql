-- Answers: the values of each list of a sensitive column of which rows hold several, numbered; 0 is the missing one.
-- Reads: domain, the lists as texts in JSON with their numbers (value, position): one list, or what a row still has
-- below held beside what it has in the source, below source.
-- Takes: nothing.
-- Gives: the table listed (list, value, is_held, is_of_source); is_held what classes are judged by, is_of_source what
-- they are compared with.
CREATE OR REPLACE TEMP TABLE listed AS
SELECT
    list,
    CASE WHEN text IS NULL THEN 0 ELSE dense_rank() OVER (ORDER BY text NULLS LAST) END AS value,
    is_held,
    is_of_source
FROM (
    SELECT
        position AS list,
        unnest(from_json(coalesce(json_extract_string(value, '$.held'), value), '["VARCHAR"]')) AS text,
        TRUE AS is_held,
        json_extract_string(value, '$.held') IS NULL AS is_of_source
    FROM domain
    UNION
    SELECT
        position AS list,
        unnest(from_json(json_extract_string(value, '$.source'), '["VARCHAR"]')) AS text,
        FALSE AS is_held,
        TRUE AS is_of_source
    FROM domain
    WHERE json_extract_string(value, '$.source') IS NOT NULL
) AS values_there
