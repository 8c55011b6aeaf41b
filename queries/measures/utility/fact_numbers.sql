-- Answers: which facts persons have in the source and in its release, each once, as numbers that both sides share.
-- Reads: source_facts, the facts of persons in the source, several times where rows repeat them (person, fact);
-- released_facts, those in the release (person, fact); source_persons, the persons of the source (person);
-- released_persons, those of the release (person).
-- Takes: nothing.
-- Gives: the table fact_numbers (is_released, person, fact).
CREATE OR REPLACE TEMP TABLE fact_numbers AS
SELECT is_released, person, dense_rank() OVER (ORDER BY fact) AS fact
FROM (
    SELECT DISTINCT FALSE AS is_released, source_facts.person, source_facts.fact
    FROM source_facts
    SEMI JOIN source_persons ON source_persons.person = source_facts.person
    UNION ALL
    SELECT DISTINCT TRUE AS is_released, released_facts.person, released_facts.fact
    FROM released_facts
    SEMI JOIN released_persons ON released_persons.person = released_facts.person
) AS facts
