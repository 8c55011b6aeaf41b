-- Answers: what the distinct values of one quasi-identifier look like that its hierarchy does not cover: a kind of
-- value, and how many of them are of it, the most frequent kind first.
-- Reads: source, the rows of the source (qi_key); qi_mapping, the mapping table of the quasi-identifier (value,
-- level_0); mapping, the mapping table (value, level_0).
-- Takes: qi_key, its column in the source.
-- Gives: kind, distinct_values.
SELECT
    CASE
        WHEN text IS NULL THEN 'missing'
        WHEN trim(text) = '' THEN 'blanks'
        WHEN known.alike IS NOT NULL AND trim(text) <> text THEN 'values of the hierarchy but for spaces around them'
        WHEN known.alike IS NOT NULL THEN 'values of the hierarchy but for upper and lower case'
        WHEN trim(text) <> text THEN 'texts with spaces around them'
        WHEN regexp_full_match(text, '[+-]?0[0-9]+') THEN 'numbers with leading zeros'
        WHEN regexp_full_match(text, '[+-]?[0-9]+') THEN 'whole numbers'
        WHEN regexp_full_match(text, '[+-]?[0-9]*,[0-9]+') THEN 'numbers with a decimal comma'
        WHEN regexp_full_match(text, '[+-]?[0-9]*[.][0-9]+') THEN 'numbers with a decimal point'
        WHEN regexp_full_match(text, '[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{2,4}') THEN 'dates written as dd.mm.yyyy'
        WHEN regexp_full_match(text, '[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}') THEN 'dates written with slashes'
        WHEN regexp_full_match(text, '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}') THEN 'dates written as yyyy-mm-dd'
        WHEN regexp_full_match(text, '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}[ T].*') THEN 'dates with a time of day'
        ELSE 'other texts'
    END AS kind,
    CAST(count(*) AS BIGINT) AS distinct_values
FROM (
    SELECT DISTINCT CAST(source.qi_key AS VARCHAR) AS text
    FROM source
    LEFT JOIN qi_mapping ON qi_mapping.value IS NOT DISTINCT FROM source.qi_key
    WHERE qi_mapping.level_0 IS NULL
) AS uncovered
LEFT JOIN (
    SELECT DISTINCT lower(trim(CAST(value AS VARCHAR))) AS alike
    FROM mapping
    WHERE level_0 IS NOT NULL AND value IS NOT NULL
) AS known ON known.alike = lower(trim(uncovered.text))
GROUP BY kind
ORDER BY distinct_values DESC, kind
LIMIT 1
