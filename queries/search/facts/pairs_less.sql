-- Answers: how many persons keep both of two facts once some facts are suppressed.
-- Reads: pair_counts, how many kept them before, and touched, in how many of these a fact is suppressed (first_fact,
-- second_fact, persons).
-- Takes: nothing.
-- Gives: the table remaining (first_fact, second_fact, persons).
CREATE OR REPLACE TEMP TABLE remaining AS
SELECT
    pair_counts.first_fact,
    pair_counts.second_fact,
    pair_counts.persons - coalesce(touched.persons, 0) AS persons
FROM pair_counts
LEFT JOIN touched
    ON touched.first_fact = pair_counts.first_fact AND touched.second_fact = pair_counts.second_fact
WHERE pair_counts.persons > coalesce(touched.persons, 0)
