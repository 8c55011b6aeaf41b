-- Answers: what each value of a column of facts becomes at a level, and what is lost by it: the values below its
-- label, but one, as a share of all but one.
-- Reads: mapping, the values with their codes (level_0, level_code); weight, of each label how many values are below
-- it (level, code, leaves).
-- Takes: level_code, the codes of the level; $level, its number; $values, how many values the hierarchy has.
-- Gives: the table ancestors (leaf_code, code, loss in millionths).
CREATE OR REPLACE TEMP TABLE ancestors AS
SELECT
    values_of.leaf_code,
    values_of.code,
    CAST(
        CASE WHEN $values > 1 THEN coalesce(weight.leaves - 1, 0) * 1000000 / ($values - 1) ELSE 0 END AS BIGINT
    ) AS loss
FROM (
    SELECT mapping.level_0 AS leaf_code, max(mapping.level_code) AS code
    FROM mapping
    GROUP BY mapping.level_0
) AS values_of
LEFT JOIN weight ON weight.level = $level AND weight.code = values_of.code
