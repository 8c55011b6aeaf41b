-- The tables of a database but for one, in the order in which they were made, so that references come after what
-- they refer to.
SELECT schema_name, table_name
FROM duckdb_tables()
WHERE database_name = $catalog AND NOT internal AND NOT (schema_name = $schema AND table_name = $name)
ORDER BY table_oid
