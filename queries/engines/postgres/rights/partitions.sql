-- Answers: which tables are dropped with a table?
-- Reads: pg_inherits, pg_class.
-- Takes: $table, the object number of the table.
-- Gives: number, its own object number and those of its partitions, at any depth.
WITH RECURSIVE parts(number) AS (
    SELECT CAST($table AS oid)
    UNION
    SELECT inherits.inhrelid
    FROM parts
    JOIN pg_inherits AS inherits ON inherits.inhparent = parts.number
    JOIN pg_class AS class ON class.oid = inherits.inhrelid AND class.relispartition
)
SELECT number FROM parts
