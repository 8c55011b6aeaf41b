-- Answers: how many persons have two facts, for each two that a person has.
-- Reads: fact_numbers, the facts of persons in the source and in its release (is_released, person, fact).
-- Takes: nothing.
-- Gives: rows (fact, other_fact, source_persons, released_persons).
SELECT
    fact_numbers.fact,
    others.fact AS other_fact,
    CAST(sum(CASE WHEN fact_numbers.is_released THEN 0 ELSE 1 END) AS DOUBLE) AS source_persons,
    CAST(sum(CASE WHEN fact_numbers.is_released THEN 1 ELSE 0 END) AS DOUBLE) AS released_persons
FROM fact_numbers
JOIN fact_numbers AS others ON
    others.is_released = fact_numbers.is_released
    AND others.person = fact_numbers.person
    AND others.fact > fact_numbers.fact
GROUP BY fact_numbers.fact, others.fact
