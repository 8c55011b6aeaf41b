-- Answers: the pairs of facts that a person has, both frequent, but that fewer than k persons of the source have: one
-- of the two must go.
-- Reads: frequent, the facts of each person that k persons or more have (person, fact, worth); other_frequent, the
-- same.
-- Takes: $k.
-- Gives: the table rare_pairs (person, first_fact, second_fact, worth), worth that of the cheaper one.
CREATE OR REPLACE TEMP TABLE rare_pairs AS
WITH
rare AS (
    SELECT frequent.fact AS first_fact, other_frequent.fact AS second_fact
    FROM frequent
    JOIN other_frequent ON other_frequent.person = frequent.person AND other_frequent.fact > frequent.fact
    GROUP BY frequent.fact, other_frequent.fact
    HAVING count(*) < $k
)
SELECT
    frequent.person,
    rare.first_fact,
    rare.second_fact,
    least(frequent.worth, other_frequent.worth) AS worth
FROM rare
JOIN frequent ON frequent.fact = rare.first_fact
JOIN other_frequent ON other_frequent.person = frequent.person AND other_frequent.fact = rare.second_fact
