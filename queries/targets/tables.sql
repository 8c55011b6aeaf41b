-- Answers: the tables of a database with the statements that make them, as the engine writes them, and their comments.
-- Reads: duckdb_tables(), what the engine tells.
-- Takes: $catalog, the database.
-- Gives: schema_name, table_name, sql, comment.
SELECT schema_name, table_name, sql, comment
FROM duckdb_tables()
WHERE database_name = $catalog AND NOT internal
ORDER BY table_oid
