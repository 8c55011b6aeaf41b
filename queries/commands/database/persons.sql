-- Answers: the persons of the source, numbered by their keys, with the class of each who is released.
-- Reads: source, the rows of the unit's table (unit_key); released, those that are released (released_key, qi_value).
-- Takes: unit_key and released_key, the key of a person in both; qi_value, of each quasi-identifier that is known with
-- the facts its released value as text, or one value for all.
-- Gives: the table persons (person, key, is_released, class), persons and classes numbered from 1.
CREATE OR REPLACE TEMP TABLE persons AS
WITH
classed AS (
    SELECT CAST(released_key AS VARCHAR) AS key, dense_rank() OVER (ORDER BY [LIST_OF(qi_value)]) AS class
    FROM released
),
known AS (SELECT CAST(unit_key AS VARCHAR) AS key FROM source)
SELECT
    row_number() OVER (ORDER BY known.key) AS person,
    known.key,
    classed.key IS NOT NULL AS is_released,
    classed.class
FROM known
LEFT JOIN classed ON classed.key = known.key
