-- Answers: what a code of one quasi-identifier is released as at a level.
-- Reads: mapping, its mapping table.
-- Takes: level_code and level_label, the columns of the codes and of the labels of the level; $code.
-- Gives: one row: label, NULL for a missing value.
SELECT max(CAST(level_label AS VARCHAR)) AS label
FROM mapping
WHERE level_code = $code
