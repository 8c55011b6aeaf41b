-- Answers: what are some tables and views called, but for temporary ones?
-- Reads: pg_class, pg_namespace.
-- Takes: $numbers, their object numbers.
-- Gives: schema; name.
SELECT namespace.nspname AS schema, class.relname AS name
FROM pg_class AS class
JOIN pg_namespace AS namespace ON namespace.oid = class.relnamespace
WHERE class.oid = ANY($numbers) AND class.relpersistence <> 't'
