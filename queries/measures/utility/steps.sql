-- Answers: what stands for each value of the source at each level: its own texts at level 0, and the labels of the
-- hierarchy above.
-- Reads: domain, the values of the source with their ranks (value, rank, keys); mapping, the mapping table of a
-- hierarchy (value, level_label).
-- Takes: level_label, of each level the column of its labels; level_number, of each level its number.
-- Gives: the table steps (level, label, rank).
CREATE OR REPLACE TEMP TABLE steps AS
SELECT DISTINCT level, label, rank
FROM (
    SELECT 0 AS level, unnest(keys) AS label, rank
    FROM domain
    UNION ALL
    SELECT
        unnest([LIST_OF(CAST(level_number AS INTEGER))]) AS level,
        unnest([LIST_OF(CAST(mapping.level_label AS VARCHAR))]) AS label,
        domain.rank
    FROM domain
    JOIN mapping ON mapping.value IS NOT DISTINCT FROM domain.value
    WHERE NOT domain.is_missing
) AS stairs
WHERE label IS NOT NULL
