-- Answers: the macros of a database with what they do; one that takes several lists of parameters has several rows.
-- Reads: duckdb_functions(), what the engine tells.
-- Takes: $catalog, the database.
-- Gives: schema_name, function_name, macro_definition.
SELECT DISTINCT schema_name, function_name, macro_definition
FROM duckdb_functions()
WHERE database_name = $catalog AND NOT internal AND macro_definition IS NOT NULL
ORDER BY schema_name, function_name
