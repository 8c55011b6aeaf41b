-- The smallest classes with their values: for users who asked to be shown values.
SELECT
    row_count,
    CAST(qi_name AS VARCHAR) AS qi_text
FROM class_list
ORDER BY row_count, qi_name NULLS FIRST
LIMIT $most
