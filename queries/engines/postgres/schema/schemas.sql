-- Answers: which schemas, beside those of the server itself, hold a table and may be looked into by this role?
-- Reads: pg_class, pg_namespace.
-- Takes: nothing.
-- Gives: name of each, in their order.
SELECT DISTINCT namespace.nspname AS name
FROM pg_class AS class
JOIN pg_namespace AS namespace ON namespace.oid = class.relnamespace
WHERE class.relkind IN ('r', 'p', 'f') AND has_schema_privilege(namespace.oid, 'USAGE')
    AND namespace.nspname <> 'information_schema' AND NOT starts_with(namespace.nspname, 'pg_')
ORDER BY namespace.nspname
