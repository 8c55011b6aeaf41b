-- Whether a table or view of that name is there.
SELECT
    (SELECT count(*) FROM duckdb_tables() WHERE database_name = $catalog AND schema_name = $schema AND table_name = $name)
    + (SELECT count(*) FROM duckdb_views() WHERE database_name = $catalog AND schema_name = $schema AND view_name = $name)
    AS found
