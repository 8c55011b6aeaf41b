-- Answers: the smallest classes with their values: for users who asked to be shown values.
-- Reads: class_list, the classes of the table (row_count, qi_name).
-- Takes: qi_name, of each quasi-identifier the column of its values; qi_text, of each quasi-identifier its text; $most,
-- how many rows are shown.
-- Gives: row_count, qi_text.
SELECT
    row_count,
    CAST(qi_name AS VARCHAR) AS qi_text
FROM class_list
ORDER BY row_count, qi_name NULLS FIRST
LIMIT $most
