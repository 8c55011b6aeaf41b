-- The databases of this connection that are files.
SELECT database_name, path
FROM duckdb_databases()
WHERE NOT internal AND path IS NOT NULL
