-- Answers: the indexes of a table, with the statements that make them, as the engine writes them, and their comments.
-- Reads: duckdb_indexes(), what the engine tells.
-- Takes: $catalog, the database; $name, the name; $schema, the schema.
-- Gives: index_name, is_unique, sql, comment.
SELECT index_name, is_unique, sql, comment
FROM duckdb_indexes()
WHERE database_name = $catalog AND schema_name = $schema AND table_name = $name
ORDER BY index_oid
