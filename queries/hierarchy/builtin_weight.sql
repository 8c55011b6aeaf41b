-- Answers: every released value of a built-in hierarchy by level: its code, how many values of the column lie below it,
-- its label. Codes follow the order of the values. Code 0 is the missing value, which has no label.
-- Reads: leaf, the values of a hierarchy with a key for each level (place, level_key).
-- Takes: level_key, of each level the column that tells its nodes apart; level_number, of each level its number;
-- $height, the level of the top.
-- Gives: the table weight (level, code, leaves, label).
CREATE OR REPLACE TEMP TABLE weight AS
SELECT
    level,
    CAST(row_number() OVER (PARTITION BY level ORDER BY place, label) AS BIGINT) AS code,
    leaves,
    label
FROM (
    SELECT level, label, min(place) AS place, count(*) AS leaves
    FROM (
        SELECT
            unnest([LIST_OF(CAST(level_number AS INTEGER))]) AS level,
            unnest([LIST_OF(level_key)]) AS label,
            place
        FROM kanon.leaf
        WHERE place IS NOT NULL
    ) AS labels
    GROUP BY level, label
) AS released
UNION ALL
SELECT $height AS level, 1 AS code, greatest(count(place), 1) AS leaves, '*' AS label
FROM kanon.leaf
UNION ALL
SELECT unnest(range($height)) AS level, 0 AS code, 1 AS leaves, NULL AS label
