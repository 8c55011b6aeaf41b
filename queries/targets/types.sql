-- The types that were made in a database.
SELECT schema_name, type_name
FROM duckdb_types()
WHERE database_name = $catalog AND NOT internal
ORDER BY type_oid
