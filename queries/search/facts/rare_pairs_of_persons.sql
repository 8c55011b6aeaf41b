-- Answers: the pairs of facts that a person has, both frequent, but that fewer than k persons of the source have: one
-- of the two must go.
-- Reads: rare, the pairs that few persons have (pair); kept, the facts of each person that k persons or more have
-- (person, fact, worth).
-- Takes: nothing.
-- Gives: the table rare_pairs (person, first_fact, second_fact, worth), worth that of the cheaper one.
CREATE OR REPLACE TEMP TABLE rare_pairs AS
SELECT
    kept.person,
    kept.fact AS first_fact,
    other_kept.fact AS second_fact,
    least(kept.worth, other_kept.worth) AS worth
FROM kept
JOIN kept AS other_kept ON other_kept.person = kept.person AND other_kept.fact > kept.fact
JOIN rare ON rare.pair = kept.fact * 4294967296 + other_kept.fact
