-- Answers: which tables and views does a schema hold? A partition is a part of its table.
-- Reads: pg_class, pg_namespace.
-- Takes: $schema, its name.
-- Gives: number, the object number; name; kind, as relkind has it; readable, whether this role sees all rows; owned,
--   whether it may replace it; in the order of their names.
SELECT
    class.oid AS number,
    class.relname AS name,
    CAST(class.relkind AS TEXT) AS kind,
    has_table_privilege(class.oid, 'SELECT') AND NOT row_security_active(class.oid) AS readable,
    pg_has_role(class.relowner, 'USAGE') AS owned
FROM pg_class AS class
JOIN pg_namespace AS namespace ON namespace.oid = class.relnamespace
WHERE namespace.nspname = $schema AND class.relkind IN ('r', 'p', 'f', 'v', 'm') AND NOT class.relispartition
ORDER BY class.relname
