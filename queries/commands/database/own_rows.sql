-- Answers: the rows of a table with quasi-identifiers of which each is one person's: one of each person who is
-- released, with the released values.
-- Reads: released, the persons who are released (released_key, own_value); table_rows, the rows of the table
-- (own_value).
-- Takes: own_value and own_name, of each column its value and its name; released_key and row_key, the key of a person
-- in both.
-- Gives: rows (own_name).
SELECT own_value AS own_name
FROM released
LEFT JOIN table_rows ON CAST(row_key AS VARCHAR) = CAST(released_key AS VARCHAR)
