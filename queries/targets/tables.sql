-- The tables of a database with the statements that make them, as the engine writes them, and their comments.
SELECT schema_name, table_name, sql, comment
FROM duckdb_tables()
WHERE database_name = $catalog AND NOT internal
ORDER BY table_oid
