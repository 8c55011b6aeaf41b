-- Answers: how the file of a database is written: the oldest version of the engine that reads it, the size of its
-- blocks.
-- Reads: duckdb_databases(), what the engine tells.
-- Takes: $catalog, the database.
-- Gives: the version, block_size.
SELECT files.tags['storage_version'], sizes.block_size
FROM duckdb_databases() AS files
JOIN pragma_database_size() AS sizes ON sizes.database_name = files.database_name
WHERE files.database_name = $catalog
