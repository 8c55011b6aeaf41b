-- A hierarchy file: each label above level 0 with the values below it, these as the columns write them. Long lists
-- come as JSON: one parameter, where one a value would be slow.
CREATE OR REPLACE TEMP TABLE tree AS
SELECT DISTINCT label, leaf_text AS leaf
FROM (
    SELECT
        unnest(CAST(CAST($labels AS JSON) AS VARCHAR[])) AS label,
        unnest(CAST(CAST($leaves AS JSON) AS VARCHAR[])) AS leaf
) AS listed
