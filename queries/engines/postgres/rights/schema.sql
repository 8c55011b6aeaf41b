-- Answers: may this role look into a schema, and make tables in it?
-- Reads: pg_namespace.
-- Takes: $schema, its name; NULL is the one that new tables come into.
-- Gives: name; looks_into and makes_tables, whether the role may. No row where there is no such schema.
SELECT
    nspname AS name,
    has_schema_privilege(oid, 'USAGE') AS looks_into,
    has_schema_privilege(oid, 'CREATE') AS makes_tables
FROM pg_namespace
WHERE nspname = coalesce($schema, current_schema())
