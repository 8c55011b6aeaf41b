-- Answers: the values of a hierarchy file in the type of their column, each with the code of every level. The last rows
-- are NULL and the texts that are read as NULL. Long lists come as JSON: one parameter, where one a value would be
-- slow.
-- Reads: nothing.
-- Takes: level_key, of each level the column that tells its nodes apart; level_number, of each level its number;
-- typed_value, the value in the type of its column; $codes, the codes of each level, as JSON; $leaves, the values of
-- the file, as JSON.
-- Gives: value, level_key.
SELECT
    typed_value AS value,
    level_key AS level_key
FROM (
    SELECT
        unnest(CAST(CAST($leaves AS JSON) AS VARCHAR[])) AS leaf,
        unnest(CAST(json_extract(CAST($codes AS JSON), level_number) AS UINTEGER[])) AS level_key
) AS leaves
