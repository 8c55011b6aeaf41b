-- Answers: do the tables that are read and the one that is replaced share rows?
--   Rows of partitions, and of tables that inherit, are rows of their table.
-- Reads: pg_inherits.
-- Takes: $numbers, of what `reached` gives; $target, the object number of the table that is replaced.
-- Gives: name of a table of whose rows both are, as statements name it. No row where there is none.
WITH RECURSIVE readable(number) AS (
    SELECT unnest(CAST($numbers AS oid[]))
    UNION
    SELECT inherits.inhrelid FROM readable JOIN pg_inherits AS inherits ON inherits.inhparent = readable.number
),
parts(number) AS (
    SELECT CAST($target AS oid)
    UNION
    SELECT inherits.inhrelid FROM parts JOIN pg_inherits AS inherits ON inherits.inhparent = parts.number
)
SELECT CAST(CAST(number AS regclass) AS TEXT) AS name
FROM readable
JOIN parts USING (number)
ORDER BY 1
LIMIT 1
