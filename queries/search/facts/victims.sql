-- Answers: of each person who keeps rare sets the fact to suppress next: that which ends most of them, weighed by the
-- square root of how many persons have it, as the other facts of many persons are worth more to others, and of its
-- worth.
-- Reads: shortages, the rare sets of each person (person, number, fact, cost).
-- Takes: $draw and $most_chance, the number of a draw, by which the weight of a fact becomes up to so many times
-- greater beyond itself.
-- Gives: the table victims (person, fact), one of each person.
CREATE OR REPLACE TEMP TABLE victims AS
SELECT person, arg_max(fact, weight) AS fact
FROM (
    SELECT
        person,
        fact,
        {
            'weight': CAST(count(*) AS DOUBLE) * count(*) / any_value(cost)
            * (1000 + $most_chance * (hash(person, fact, CAST($draw AS BIGINT)) % 1000)),
            'fact': -fact
        } AS weight
    FROM shortages
    GROUP BY person, fact
) AS weighed
GROUP BY person
