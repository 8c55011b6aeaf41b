-- Answers: the views of a database.
-- Reads: duckdb_views(), what the engine tells.
-- Takes: $catalog, the database.
-- Gives: schema_name, view_name.
SELECT schema_name, view_name
FROM duckdb_views()
WHERE database_name = $catalog AND NOT internal
ORDER BY view_oid
