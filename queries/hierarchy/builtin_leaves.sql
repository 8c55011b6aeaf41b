-- The values that a built-in hierarchy covers with the label of every level; missing ones have labels at the top only.
CREATE OR REPLACE TEMP TABLE leaf AS
SELECT value, place, label_0, level_name, '*' AS label_top
FROM labels
WHERE text IS NULL OR place IS NOT NULL
