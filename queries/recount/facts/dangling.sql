-- Answers: how many rows have a key that leads nowhere.
-- Reads: keys, the rows (key); at_home, the rows of the table to which the key belongs (key).
-- Takes: nothing.
-- Gives: one row (dangling).
SELECT count(*) AS dangling
FROM keys
WHERE keys.key IS NOT NULL AND keys.key NOT IN (SELECT at_home.key FROM at_home WHERE at_home.key IS NOT NULL)
