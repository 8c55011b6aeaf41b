-- Answers: how many persons find several rows of a table by a key.
-- Reads: persons, the key that each person has (key); keys, that of each row of the table (key).
-- Takes: nothing.
-- Gives: one row (several).
SELECT count(*) AS several
FROM persons
WHERE persons.key IN (
    SELECT keys.key
    FROM keys
    GROUP BY keys.key
    HAVING count(*) > 1
)
