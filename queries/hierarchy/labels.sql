-- Answers: all texts that one hierarchy releases below its top, that of missing values included, in the order of levels
-- and codes: an ENUM type.
-- Reads: weight, the released values of a hierarchy (label, level, code).
-- Takes: $height, the level of the top; $missing, the label of missing values.
-- Gives: label.
SELECT label
FROM (
    SELECT label, level, code
    FROM weight
    WHERE level < $height
    UNION ALL
    SELECT CAST($missing AS VARCHAR) AS label, -1 AS level, 0 AS code
) AS released
WHERE label IS NOT NULL
GROUP BY label
ORDER BY min(level) NULLS FIRST, min(code) NULLS FIRST
