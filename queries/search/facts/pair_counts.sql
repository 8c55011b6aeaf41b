-- Answers: how many persons keep both of two facts.
-- Reads: kept, the facts that are kept of each person (person, fact).
-- Takes: nothing.
-- Gives: the table pair_counts (first_fact, second_fact, persons), the first the lesser number.
CREATE OR REPLACE TEMP TABLE pair_counts AS
SELECT kept.fact AS first_fact, other_kept.fact AS second_fact, count(*) AS persons
FROM kept
JOIN kept AS other_kept ON other_kept.person = kept.person AND other_kept.fact > kept.fact
GROUP BY kept.fact, other_kept.fact
