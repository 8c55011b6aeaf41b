-- Answers: suppressed facts of persons that can be kept after all: with each fact that the person keeps, k - 1 other
-- persons or more keep both. Of each person the one that most persons keep. Whoever keeps more makes no set rarer.
-- Reads: held, the facts of each person (person, fact, worth); kept, those that are kept (person, fact); other_kept,
-- the same; support, of each fact how many persons keep it (fact, persons).
-- Takes: $k.
-- Gives: the table restorable (person, fact, worth), one fact of a person.
CREATE OR REPLACE TEMP TABLE restorable AS
WITH
pairs AS (
    SELECT kept.fact, other_kept.fact AS other_fact
    FROM kept
    JOIN other_kept ON other_kept.person = kept.person AND other_kept.fact <> kept.fact
    GROUP BY kept.fact, other_kept.fact
    HAVING count(*) >= $k - 1
),
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
    LEFT JOIN pairs ON pairs.fact = candidates.fact AND pairs.other_fact = kept.fact
    GROUP BY candidates.person, candidates.fact
    HAVING count(pairs.fact) = coalesce(any_value(totals.facts), 0)
)
SELECT
    person,
    arg_max(fact, {'persons': persons, 'fact': -fact}) AS fact,
    arg_max(worth, {'persons': persons, 'fact': -fact}) AS worth
FROM fitting
GROUP BY person
