-- How many rows of each class hold each sensitive value.
SELECT qi_value, sensitive_value AS value, row_total AS row_count
FROM table_rows
GROUP BY qi_value, sensitive_value
