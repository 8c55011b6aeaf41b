-- Answers: the pairs of facts that some person keeps, but fewer than k persons do.
-- Reads: pair_counts, how many persons keep both of two facts (first_fact, second_fact, persons).
-- Takes: $k.
-- Gives: the table rare (number, pair), numbered from 1; pair is one number for both facts, as below: by it pairs are
-- looked up that persons keep, of which there are fewer than persons who keep one of the facts.
CREATE OR REPLACE TEMP TABLE rare AS
SELECT
    row_number() OVER (ORDER BY first_fact, second_fact) AS number,
    first_fact * 4294967296 + second_fact AS pair
FROM pair_counts
WHERE persons < $k
