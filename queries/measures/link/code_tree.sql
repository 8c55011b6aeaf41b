-- Answers: what a built-in of codes lays above the values of a linking column, of both sides: each label above level 0
-- with the values below it.
-- Reads: leaves, the values of a hierarchy with a key for each level (value, place, level_key).
-- Takes: level_key, of each level the column that tells its nodes apart.
-- Gives: the table tree (label, leaf).
CREATE OR REPLACE TEMP TABLE kanon.tree AS
SELECT DISTINCT label, leaf
FROM (
    SELECT unnest([LIST_OF(level_key)]) AS label, value AS leaf
    FROM leaves
    WHERE place IS NOT NULL
) AS above
