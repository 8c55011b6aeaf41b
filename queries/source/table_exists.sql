-- Answers: whether a table or view of that name is there; the engine ignores case in names.
-- Reads: duckdb_tables(), what the engine tells; duckdb_views(), what the engine tells.
-- Takes: $catalog, the database; $name, the name; $schema, the schema.
-- Gives: found.
SELECT count(*) AS found
FROM (
    SELECT schema_name, table_name AS name FROM duckdb_tables() WHERE database_name = $catalog
    UNION ALL
    SELECT schema_name, view_name AS name FROM duckdb_views() WHERE database_name = $catalog
) AS named
WHERE lower(named.schema_name) = lower($schema) AND lower(named.name) = lower($name)
