-- Answers: the persons, by whose keys rows of other tables find them.
-- Reads: table_rows, the rows of the table of persons (own_key).
-- Takes: own_key, the key of a person.
-- Gives: rows (key, owner), both the key.
SELECT CAST(own_key AS VARCHAR) AS key, CAST(own_key AS VARCHAR) AS owner
FROM table_rows
WHERE own_key IS NOT NULL
