-- How many rows each class has, and how many entities; rows that name none belong to one.
SELECT
    qi_value,
    row_total AS size,
    count(DISTINCT entity) + max(CASE WHEN entity IS NULL THEN 1 ELSE 0 END) AS holders
FROM table_rows
GROUP BY qi_value
