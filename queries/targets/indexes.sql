-- The indexes of a table, with the statements that make them, as the engine writes them, and their comments.
SELECT index_name, is_unique, sql, comment
FROM duckdb_indexes()
WHERE database_name = $catalog AND schema_name = $schema AND table_name = $name
ORDER BY index_oid
