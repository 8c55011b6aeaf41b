-- Answers: one quasi-identifier of the population: each of its values with its code at every level of the hierarchy. A
-- missing value has code 0 at the bottom; a value that the hierarchy does not cover has no code above (NULL). Codes
-- stand in no order.
-- Reads: mapping, the mapping table (level_code, value); tuples, the distinct tuples with their rows (qi_name).
-- Takes: level_code, of each level its code; level_rung, of each level the name of its column here; qi_name, of each
-- quasi-identifier the column of its values.
-- Gives: the table ladder (value, rung_0, level_rung).
CREATE OR REPLACE TEMP TABLE ladder AS
SELECT
    present.value,
    CASE
        WHEN present.value IS NULL THEN 0
        ELSE CAST(row_number() OVER () AS BIGINT)
    END AS rung_0,
    CAST(mapping.level_code AS BIGINT) AS level_rung
FROM (SELECT DISTINCT qi_name AS value FROM tuples) AS present
LEFT JOIN mapping ON mapping.value IS NOT DISTINCT FROM present.value
