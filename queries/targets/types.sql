-- Answers: the types that were made in a database.
-- Reads: duckdb_types(), what the engine tells.
-- Takes: $catalog, the database.
-- Gives: schema_name, type_name.
SELECT schema_name, type_name
FROM duckdb_types()
WHERE database_name = $catalog AND NOT internal
ORDER BY type_oid
