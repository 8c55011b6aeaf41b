-- Answers: how many persons find several rows by a key that should have one.
-- Reads: persons, the rows of the table of persons (via_column); joined_rows, of each key whether one row has it (key,
-- is_single).
-- Takes: via_column, the column of persons that holds the key.
-- Gives: one row (several).
SELECT count(*) AS several
FROM persons
JOIN joined_rows ON joined_rows.key = CAST(via_column AS VARCHAR)
WHERE NOT joined_rows.is_single
