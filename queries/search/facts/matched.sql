-- Answers: rare pairs of which no two share a fact of a person: of each of them one fact goes, whatever is kept. Of
-- the pairs that are left those are taken that are first of both their facts.
-- Reads: rare_pairs, those that are left (person, first_fact, second_fact, worth).
-- Takes: nothing.
-- Gives: the table matched (person, first_fact, second_fact, worth).
CREATE OR REPLACE TEMP TABLE matched AS
WITH
degrees AS (
    SELECT person, fact, count(*) AS degree
    FROM (
        SELECT person, first_fact AS fact
        FROM rare_pairs
        UNION ALL
        SELECT person, second_fact AS fact
        FROM rare_pairs
    ) AS facts_of_pairs
    GROUP BY person, fact
),
-- Pairs of facts that are worth most come first, then those that leave most of the others untouched.
ranked AS (
    SELECT
        rare_pairs.person,
        {
            'cost': -rare_pairs.worth,
            'degree': first_degrees.degree + second_degrees.degree,
            'first_fact': rare_pairs.first_fact,
            'second_fact': rare_pairs.second_fact
        } AS pair
    FROM rare_pairs
    JOIN degrees AS first_degrees
        ON first_degrees.person = rare_pairs.person AND first_degrees.fact = rare_pairs.first_fact
    JOIN degrees AS second_degrees
        ON second_degrees.person = rare_pairs.person AND second_degrees.fact = rare_pairs.second_fact
),
chosen AS (
    SELECT person, fact, min(pair) AS pair
    FROM (
        SELECT person, pair.first_fact AS fact, pair
        FROM ranked
        UNION ALL
        SELECT person, pair.second_fact AS fact, pair
        FROM ranked
    ) AS ends
    GROUP BY person, fact
)
SELECT
    chosen.person,
    chosen.pair.first_fact AS first_fact,
    chosen.pair.second_fact AS second_fact,
    -chosen.pair.cost AS worth
FROM chosen
JOIN chosen AS of_second
    ON of_second.person = chosen.person
    AND of_second.fact = chosen.pair.second_fact
    AND of_second.pair = chosen.pair
WHERE chosen.fact = chosen.pair.first_fact
