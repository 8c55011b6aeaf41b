-- Answers: the name of every function that the engine has, its own and those that a user made. No function but that of
-- the engine's own schema is called, since a user's macro may have the name of any other.
-- Reads: system.main.duckdb_functions(), what the engine tells.
-- Takes: nothing.
-- Gives: database_name, schema_name, function_name, internal.
SELECT DISTINCT database_name, schema_name, function_name, internal
FROM system.main.duckdb_functions()
