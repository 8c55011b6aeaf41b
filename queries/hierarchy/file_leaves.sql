-- The values of a hierarchy file in the type of their column, each with the code of every level. The last rows are
-- NULL and the texts that are read as NULL. Long lists come as JSON: one parameter, where one a value would be slow.
SELECT
    typed_value AS value,
    level_key AS level_key
FROM (
    SELECT
        unnest(CAST(CAST($leaves AS JSON) AS VARCHAR[])) AS leaf,
        unnest(CAST(json_extract(CAST($codes AS JSON), level_number) AS UINTEGER[])) AS level_key
) AS leaves
