-- Answers: the text of every view that the engine has, its own among them.
-- Reads: system.main.duckdb_views(), what the engine tells.
-- Takes: nothing.
-- Gives: database_name, schema_name, view_name, sql.
SELECT database_name, schema_name, view_name, sql
FROM system.main.duckdb_views()
WHERE sql IS NOT NULL
