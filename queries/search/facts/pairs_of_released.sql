-- Answers: how many facts the persons who are released have as they are, each counted once with each person.
-- Reads: person_leaves (person, leaf); persons, who is released (person, is_released).
-- Takes: nothing.
-- Gives: one row (pairs).
SELECT count(*) AS pairs
FROM person_leaves
JOIN persons ON persons.person = person_leaves.person
WHERE persons.is_released
