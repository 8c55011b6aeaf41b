-- Answers: the statement of a view of a database.
-- Reads: duckdb_views(), what the engine tells.
-- Takes: $catalog, $schema and $name of the view.
-- Gives: sql.
SELECT sql
FROM duckdb_views()
WHERE
    database_name = $catalog
    AND lower(schema_name) = lower($schema)
    AND lower(view_name) = lower($name)
    AND NOT internal
