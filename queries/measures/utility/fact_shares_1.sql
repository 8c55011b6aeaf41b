-- Answers: how many persons have each fact.
-- Reads: fact_numbers, the facts of persons in the source and in its release (is_released, person, fact).
-- Takes: nothing.
-- Gives: rows (fact, other_fact, source_persons, released_persons), no other fact.
SELECT
    fact,
    CAST(NULL AS BIGINT) AS other_fact,
    CAST(sum(CASE WHEN is_released THEN 0 ELSE 1 END) AS DOUBLE) AS source_persons,
    CAST(sum(CASE WHEN is_released THEN 1 ELSE 0 END) AS DOUBLE) AS released_persons
FROM fact_numbers
GROUP BY fact
