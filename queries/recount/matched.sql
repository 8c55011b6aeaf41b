-- Answers: the classes with their rows in the table and their persons in the population, those of the population alone
-- too.
-- Reads: sizes, the classes of the table: qi_value, size; population, those of the population: qi_value, persons.
-- Takes: nothing.
-- Gives: qi_value, size, persons.
SELECT qi_value, CAST(sum(size) AS BIGINT) AS size, CAST(sum(persons) AS BIGINT) AS persons
FROM (
    SELECT qi_value, size, 0 AS persons
    FROM sizes
    UNION ALL
    SELECT qi_value, 0 AS size, persons
    FROM population
) AS both_tables
GROUP BY qi_value
