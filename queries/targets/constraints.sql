-- Answers: the constraints of the tables of a database but for NOT NULL: kind, text, columns, and the table that is
-- referred to.
-- Reads: duckdb_constraints(), what the engine tells.
-- Takes: $catalog, the database.
-- Gives: schema_name, table_name, constraint_type, constraint_text, constraint_column_names, referenced_table.
SELECT schema_name, table_name, constraint_type, constraint_text, constraint_column_names, referenced_table
FROM duckdb_constraints()
WHERE database_name = $catalog AND constraint_type <> 'NOT NULL'
ORDER BY table_oid, constraint_index
