-- Answers: the text of every macro that the engine has, its own among them; a row for each list of parameters.
-- Reads: system.main.duckdb_functions(), what the engine tells.
-- Takes: nothing.
-- Gives: database_name, schema_name, function_name, macro_definition.
SELECT database_name, schema_name, function_name, macro_definition
FROM system.main.duckdb_functions()
WHERE macro_definition IS NOT NULL
