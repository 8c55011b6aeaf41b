-- The classes with their rows in the table and their persons in the population.
SELECT qi_value, CAST(sum(size) AS BIGINT) AS size, CAST(sum(persons) AS BIGINT) AS persons
FROM (
    SELECT qi_value, size, 0 AS persons
    FROM sizes
    UNION ALL
    SELECT qi_value, 0 AS size, persons
    FROM population
) AS both_tables
GROUP BY qi_value
