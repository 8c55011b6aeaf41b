-- How many rows each class has.
SELECT qi_value, row_total AS size, row_total AS holders
FROM table_rows
GROUP BY qi_value
