-- Answers: the databases of this connection that are files; the file of a lake is that of its catalog.
-- Reads: duckdb_databases(), what the engine tells.
-- Takes: nothing.
-- Gives: database_name, path, readonly, type (duckdb, ducklake).
SELECT database_name, path, readonly, type
FROM duckdb_databases()
WHERE NOT internal AND path IS NOT NULL
