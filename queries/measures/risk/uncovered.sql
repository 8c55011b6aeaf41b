-- Answers: persons of the population with a value in one column that its hierarchy does not cover.
-- Reads: risk_population_steps, the persons by the codes of every level (code, row_count).
-- Takes: code, the column of codes.
-- Gives: persons.
SELECT CAST(coalesce(sum(row_count), 0) AS BIGINT) AS persons
FROM kanon.risk_population_steps
WHERE code IS NULL
