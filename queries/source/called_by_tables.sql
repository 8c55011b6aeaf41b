-- Answers: the text of every table that the engine has and that computes a column.
-- Reads: system.main.duckdb_tables(), what the engine tells.
-- Takes: nothing.
-- Gives: database_name, schema_name, table_name, sql.
SELECT database_name, schema_name, table_name, sql
FROM system.main.duckdb_tables()
WHERE contains(sql, 'GENERATED ALWAYS')
