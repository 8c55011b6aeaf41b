-- Answers: how many combinations of some columns a table holds more than once; NULL equals nothing.
-- Reads: table_rows, the rows of a table (part_key).
-- Takes: part_key, of each column that the key has.
-- Gives: the columns that are read.
SELECT count(*)
FROM (
    SELECT part_key FROM table_rows WHERE part_key IS NOT NULL GROUP BY part_key HAVING count(*) > 1
) AS repeated
