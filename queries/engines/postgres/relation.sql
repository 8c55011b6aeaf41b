-- Answers: which table or view does a name mean here, along the search path?
-- Reads: pg_class, pg_namespace.
-- Takes: $name, as statements name it.
-- Gives: schema; kind, as relkind has it; number, its object number. No row where there is none.
SELECT namespace.nspname AS schema, CAST(class.relkind AS TEXT) AS kind, class.oid AS number
FROM pg_class AS class
JOIN pg_namespace AS namespace ON namespace.oid = class.relnamespace
WHERE class.oid = to_regclass($name)
