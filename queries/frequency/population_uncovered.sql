-- Persons of a population with a value that no hierarchy covers.
SELECT CAST(coalesce(sum(row_count), 0) AS BIGINT) AS uncovered
FROM population
WHERE ANY_OF(qi_leaf IS NULL)
