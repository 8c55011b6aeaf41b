-- Answers: the values of a key but those that a table had in its source and has in no released row.
-- Reads: key_values, the values (key); source_values and released_values, those of the table (key).
-- Takes: nothing.
-- Gives: the table led (key).
CREATE OR REPLACE TEMP TABLE led AS
SELECT key_values.key
FROM key_values
WHERE
    key_values.key NOT IN (SELECT source_values.key FROM source_values)
    OR key_values.key IN (SELECT released_values.key FROM released_values)
