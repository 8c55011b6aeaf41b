-- Answers: the facts of each person in one list, each once, as numbers, with the class of the person.
-- Reads: person_facts, the facts that tables tell, several times where tables or rows repeat them (person, fact);
-- persons (person, class).
-- Takes: nothing.
-- Gives: the table fact_lists (person, class, facts).
CREATE OR REPLACE TEMP TABLE fact_lists AS
WITH
known AS (
    SELECT fact, row_number() OVER (ORDER BY fact) AS number
    FROM person_facts
    GROUP BY fact
)
SELECT
    person_facts.person,
    any_value(persons.class) AS class,
    list(DISTINCT known.number ORDER BY known.number) AS facts
FROM person_facts
JOIN known ON known.fact = person_facts.fact
JOIN persons ON persons.person = person_facts.person
GROUP BY person_facts.person
