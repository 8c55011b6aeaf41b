-- Answers: combinations of quasi-identifiers with more rows in the table than persons in the population.
-- Reads: tuples, the distinct tuples (qi_leaf, row_count); population, the persons of a population (qi_leaf,
-- row_count).
-- Takes: qi_leaf, of each quasi-identifier the column of its codes, leaves of the hierarchy.
-- Gives: strangers.
SELECT count(*) AS strangers
FROM (
    SELECT qi_leaf, TRUE AS is_more
    FROM (
        SELECT qi_leaf, row_count, 0 AS persons
        FROM kanon.tuples
        UNION ALL
        SELECT qi_leaf, 0 AS row_count, row_count AS persons
        FROM population
    ) AS both_tables
    GROUP BY qi_leaf
    HAVING sum(row_count) > sum(persons)
) AS more_rows
