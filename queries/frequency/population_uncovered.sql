-- Answers: persons of a population with a value that no hierarchy covers.
-- Reads: population, the persons of a population (qi_leaf, row_count).
-- Takes: qi_leaf, of each quasi-identifier the column of its codes, leaves of the hierarchy.
-- Gives: uncovered.
SELECT CAST(coalesce(sum(row_count), 0) AS BIGINT) AS uncovered
FROM population
WHERE ANY_OF(qi_leaf IS NULL)
