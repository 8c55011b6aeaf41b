-- Persons of the population with a value in one column that its hierarchy does not cover.
SELECT CAST(coalesce(sum(row_count), 0) AS BIGINT) AS persons
FROM population_steps
WHERE code IS NULL
