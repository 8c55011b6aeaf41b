-- Answers: the databases of this connection that are files.
-- Reads: duckdb_databases(), what the engine tells.
-- Takes: nothing.
-- Gives: database_name, path, readonly.
SELECT database_name, path, readonly
FROM duckdb_databases()
WHERE NOT internal AND path IS NOT NULL
