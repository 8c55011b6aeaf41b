-- Answers: the values that a built-in hierarchy covers with the label of every level; missing ones have labels at the
-- top only.
-- Reads: labels, the labels of each value (value, place, label_0, level_name, text).
-- Takes: label_top, the name of the column of the top's labels; level_name, of each level the name of its column here.
-- Gives: the table leaf (value, place, label_0, level_name, label_top).
CREATE OR REPLACE TEMP TABLE kanon.leaf AS
SELECT value, place, label_0, level_name, '*' AS label_top
FROM labels
WHERE text IS NULL OR place IS NOT NULL
