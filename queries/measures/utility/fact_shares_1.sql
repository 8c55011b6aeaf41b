-- Answers: how many persons have each fact.
-- Reads: fact_numbers, the facts of persons in the source and in its release (is_released, person, fact).
-- Takes: nothing.
-- Gives: rows (fact, other_fact, source_persons, released_persons), no other fact.
SELECT
    fact,
    CAST(NULL AS BIGINT) AS other_fact,
    count(*) FILTER (WHERE NOT is_released) AS source_persons,
    count(*) FILTER (WHERE is_released) AS released_persons
FROM fact_numbers
GROUP BY fact
