-- Answers: how many facts persons have as they are, each counted once with each person.
-- Reads: person_leaves (person, leaf).
-- Takes: nothing.
-- Gives: one row (pairs).
SELECT count(*) AS pairs
FROM person_leaves
