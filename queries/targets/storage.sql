-- How the file of a database is written: the oldest version of the engine that reads it, the size of its blocks.
SELECT files.tags['storage_version'], sizes.block_size
FROM duckdb_databases() AS files
JOIN pragma_database_size() AS sizes ON sizes.database_name = files.database_name
WHERE files.database_name = $catalog
