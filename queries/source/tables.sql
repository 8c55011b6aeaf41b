-- Answers: which tables and views a database has, the engine's own apart.
-- Reads: duckdb_tables and duckdb_views.
-- Takes: $catalog, the name under which the database is attached.
-- Gives: rows (schema_name, table_name, is_view).
SELECT schema_name, table_name, FALSE AS is_view
FROM duckdb_tables()
WHERE database_name = $catalog AND NOT internal
UNION ALL
SELECT schema_name, view_name AS table_name, TRUE AS is_view
FROM duckdb_views()
WHERE database_name = $catalog AND NOT internal
ORDER BY schema_name, table_name
