-- Answers: how the unit's table tells persons apart: its rows, those without a key, and its different keys.
-- Reads: source, the rows of the table (unit_key).
-- Takes: unit_key, the column that tells persons apart.
-- Gives: one row (row_count, without_key, keys).
SELECT
    count(*) AS row_count,
    count(*) - count(unit_key) AS without_key,
    count(DISTINCT CAST(unit_key AS VARCHAR)) AS keys
FROM source
