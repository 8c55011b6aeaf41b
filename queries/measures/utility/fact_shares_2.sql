-- Answers: how many persons have two facts, for each two that a person has.
-- Reads: fact_numbers, the facts of persons in the source and in its release (is_released, person, fact).
-- Takes: nothing.
-- Gives: rows (fact, other_fact, source_persons, released_persons).
SELECT
    fact_numbers.fact,
    others.fact AS other_fact,
    count(*) FILTER (WHERE NOT fact_numbers.is_released) AS source_persons,
    count(*) FILTER (WHERE fact_numbers.is_released) AS released_persons
FROM fact_numbers
JOIN fact_numbers AS others ON
    others.is_released = fact_numbers.is_released
    AND others.person = fact_numbers.person
    AND others.fact > fact_numbers.fact
GROUP BY fact_numbers.fact, others.fact
