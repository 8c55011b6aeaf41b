-- Answers: the rare pairs that share no fact of their person with those that are matched.
-- Reads: rare_pairs (person, first_fact, second_fact, worth); matched (person, first_fact, second_fact).
-- Takes: nothing.
-- Gives: the table remaining (person, first_fact, second_fact, worth).
CREATE OR REPLACE TEMP TABLE remaining AS
WITH
ends AS (
    SELECT person, first_fact AS fact
    FROM matched
    UNION ALL
    SELECT person, second_fact AS fact
    FROM matched
)
SELECT rare_pairs.person, rare_pairs.first_fact, rare_pairs.second_fact, rare_pairs.worth
FROM rare_pairs
ANTI JOIN ends AS first_ends ON first_ends.person = rare_pairs.person AND first_ends.fact = rare_pairs.first_fact
ANTI JOIN ends AS second_ends ON second_ends.person = rare_pairs.person AND second_ends.fact = rare_pairs.second_fact
