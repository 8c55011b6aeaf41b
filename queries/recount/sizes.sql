-- How many rows each class has.
SELECT qi_value, count(*) AS size, count(*) AS holders
FROM table_rows
GROUP BY qi_value
