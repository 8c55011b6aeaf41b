-- Answers: the values of a column with their labels at every level, in the order of the hierarchy: the rows of a
-- hierarchy file.
-- Reads: mapping, the mapping table (step_label, value, level_0); raw_values, the distinct values of a column (value).
-- Takes: step_label, of each level the column of its labels.
-- Gives: step_label.
SELECT CAST(mapping.step_label AS VARCHAR) AS step_label
FROM mapping
JOIN raw_values ON raw_values.value IS NOT DISTINCT FROM mapping.value
WHERE mapping.level_0 > 0
ORDER BY mapping.level_0 NULLS FIRST
