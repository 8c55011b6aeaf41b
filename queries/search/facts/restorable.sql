-- Answers: suppressed facts of persons that can be kept after all: with each fact that the person keeps, k - 1 other
-- persons or more keep both. Of each person the one that most persons keep. Whoever keeps more makes no set rarer.
-- Reads: held, the facts of each person (person, fact, worth); kept, those that are kept (person, fact); support, of
-- each fact how many persons keep it (fact, persons); pair_counts, how many keep both of two (first_fact, second_fact,
-- persons).
-- Takes: $k.
-- Gives: the table restorable (person, fact, worth), one fact of a person.
CREATE OR REPLACE TEMP TABLE restorable AS
WITH
totals AS (
    SELECT person, count(*) AS facts
    FROM kept
    GROUP BY person
),
candidates AS (
    SELECT held.person, held.fact, held.worth, support.persons
    FROM held
    JOIN support ON support.fact = held.fact
    ANTI JOIN kept ON kept.person = held.person AND kept.fact = held.fact
    WHERE support.persons >= $k - 1
),
fitting AS (
    SELECT
        candidates.person,
        candidates.fact,
        any_value(candidates.worth) AS worth,
        any_value(candidates.persons) AS persons
    FROM candidates
    LEFT JOIN totals ON totals.person = candidates.person
    LEFT JOIN kept ON kept.person = candidates.person
    LEFT JOIN pair_counts
        ON pair_counts.first_fact = least(candidates.fact, kept.fact)
        AND pair_counts.second_fact = greatest(candidates.fact, kept.fact)
        AND pair_counts.persons >= $k - 1
    GROUP BY candidates.person, candidates.fact
    HAVING count(pair_counts.first_fact) = coalesce(any_value(totals.facts), 0)
)
SELECT
    person,
    arg_max(fact, {'persons': persons, 'fact': -fact}) AS fact,
    arg_max(worth, {'persons': persons, 'fact': -fact}) AS worth
FROM fitting
GROUP BY person
