-- Answers: the tables and views of a database that its users made, in the order of their names.
-- Reads: duckdb_tables(), what the engine tells; duckdb_views(), what the engine tells.
-- Takes: $catalog, the database.
-- Gives: schema_name, name.
SELECT schema_name, name
FROM (
    SELECT schema_name, table_name AS name FROM duckdb_tables() WHERE database_name = $catalog AND NOT internal
    UNION ALL
    SELECT schema_name, view_name AS name FROM duckdb_views() WHERE database_name = $catalog AND NOT internal
) AS present
ORDER BY schema_name, name
