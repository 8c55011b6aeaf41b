-- The views of a database.
SELECT schema_name, view_name
FROM duckdb_views()
WHERE database_name = $catalog AND NOT internal
ORDER BY view_oid
