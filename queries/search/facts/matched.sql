-- Answers: rare pairs of which no two share a fact of a person: of each of them one fact goes, whatever is kept. Of
-- the pairs that are left those are taken that are first of both their facts.
-- Reads: rare_pairs, those that are left (person, first_fact, second_fact, worth).
-- Takes: nothing.
-- Gives: the table matched (person, first_fact, second_fact, worth).
CREATE OR REPLACE TEMP TABLE matched AS
WITH
ends AS (
    SELECT person, first_fact AS fact, worth, first_fact, second_fact
    FROM rare_pairs
    UNION ALL
    SELECT person, second_fact AS fact, worth, first_fact, second_fact
    FROM rare_pairs
),
degrees AS (
    SELECT person, fact, count(*) AS degree
    FROM ends
    GROUP BY person, fact
),
ranked AS (
    SELECT
        ends.person,
        ends.fact,
        ends.first_fact,
        ends.second_fact,
        row_number() OVER (
            PARTITION BY ends.person, ends.fact
            ORDER BY
                ends.worth DESC,
                one_end.degree + other_end.degree,
                ends.first_fact,
                ends.second_fact
        ) AS place
    FROM ends
    JOIN degrees AS one_end ON one_end.person = ends.person AND one_end.fact = ends.first_fact
    JOIN degrees AS other_end ON other_end.person = ends.person AND other_end.fact = ends.second_fact
)
SELECT rare_pairs.person, rare_pairs.first_fact, rare_pairs.second_fact, rare_pairs.worth
FROM rare_pairs
JOIN ranked AS of_first
    ON of_first.person = rare_pairs.person
    AND of_first.fact = rare_pairs.first_fact
    AND of_first.second_fact = rare_pairs.second_fact
    AND of_first.first_fact = rare_pairs.first_fact
    AND of_first.place = 1
JOIN ranked AS of_second
    ON of_second.person = rare_pairs.person
    AND of_second.fact = rare_pairs.second_fact
    AND of_second.first_fact = rare_pairs.first_fact
    AND of_second.second_fact = rare_pairs.second_fact
    AND of_second.place = 1
