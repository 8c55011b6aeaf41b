-- Answers: how many persons keep both of two facts once some facts are restored.
-- Reads: pair_counts, how many kept them before, and touched, how many more do (first_fact, second_fact, persons).
-- Takes: nothing.
-- Gives: the table remaining (first_fact, second_fact, persons).
CREATE OR REPLACE TEMP TABLE remaining AS
SELECT first_fact, second_fact, CAST(sum(persons) AS BIGINT) AS persons
FROM (
    SELECT first_fact, second_fact, persons
    FROM pair_counts
    UNION ALL
    SELECT first_fact, second_fact, persons
    FROM touched
) AS counts
GROUP BY first_fact, second_fact
