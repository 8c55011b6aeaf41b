-- Answers: the released rows of the table of persons, with the number of each person.
-- Reads: released, the rows (own_key); persons, the numbers by the keys (person, key).
-- Takes: own_key, each column; released_key, that which tells persons apart.
-- Gives: rows (own_key, person).
SELECT own_key, persons.person
FROM released
JOIN persons ON persons.key = CAST(released_key AS VARCHAR)
