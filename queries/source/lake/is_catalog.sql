-- Answers: whether a database file is the catalog of a lake: it has DuckLake's table of settings.
-- Reads: duckdb_tables(), what the engine tells.
-- Takes: $database, the name of the attached database.
-- Gives: one row (is_catalog).
SELECT count(*) > 0 AS is_catalog
FROM duckdb_tables()
WHERE database_name = $database AND schema_name = 'main' AND table_name = 'ducklake_metadata'
