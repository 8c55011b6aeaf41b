-- Answers: the sequences of a database.
-- Reads: duckdb_sequences(), what the engine tells.
-- Takes: $catalog, the database.
-- Gives: schema_name, sequence_name.
SELECT schema_name, sequence_name
FROM duckdb_sequences()
WHERE database_name = $catalog
ORDER BY sequence_oid
