-- Answers: the rows that a table has in the release which persons share: one of the same released values, so that
-- whoever has the same values has the same row.
-- Reads: released, the persons who are released (own_value).
-- Takes: shared_key, the text of all values, by which persons find their row, and key_name, the name of the key;
-- own_value and own_name, of each quasi-identifier its released value and its name.
-- Gives: rows (key_name, own_name).
SELECT DISTINCT shared_key AS key_name, own_value AS own_name
FROM released
