-- How many entities of each class hold each sensitive value.
SELECT
    qi_value,
    sensitive_value AS value,
    count(DISTINCT entity) + max(CASE WHEN entity IS NULL THEN 1 ELSE 0 END) AS row_count
FROM table_rows
GROUP BY qi_value, sensitive_value
