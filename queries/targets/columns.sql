-- Answers: the columns of the tables of a database: types, whether NULL is allowed, defaults as SQL, comments.
-- Reads: duckdb_columns(), what the engine tells.
-- Takes: $catalog, the database.
-- Gives: schema_name, table_name, column_name, data_type, is_nullable, column_default, comment.
SELECT schema_name, table_name, column_name, data_type, is_nullable, column_default, comment
FROM duckdb_columns()
WHERE database_name = $catalog AND NOT internal
ORDER BY schema_name, table_name, column_index
