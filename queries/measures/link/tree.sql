-- Answers: a hierarchy file: each label above level 0 with the values below it, these as the columns write them. Long
-- lists come as JSON: one parameter, where one a value would be slow.
-- Reads: nothing.
-- Takes: leaf_text, a leaf as the column writes it; $labels, the labels, as JSON; $leaves, the leaf of each label, as
-- JSON.
-- Gives: the table tree (label, leaf).
CREATE OR REPLACE TEMP TABLE kanon.tree AS
SELECT DISTINCT label, leaf_text AS leaf
FROM (
    SELECT
        unnest(CAST(CAST($labels AS JSON) AS VARCHAR[])) AS label,
        unnest(CAST(CAST($leaves AS JSON) AS VARCHAR[])) AS leaf
) AS listed
