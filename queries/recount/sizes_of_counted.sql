-- How many rows each class has, where its sensitive values are counted anyway.
SELECT qi_value, sum(row_count) AS size, sum(row_count) AS holders
FROM counted
GROUP BY qi_value
