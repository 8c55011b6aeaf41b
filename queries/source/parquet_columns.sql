-- Answers: the schema of a Parquet file in the order of its footer: every column, nested ones below their parent.
-- Reads: parquet_schema(), what the engine tells.
-- Takes: $path, the file, with what reads as a glob in it escaped.
-- Gives: name, num_children.
SELECT name, num_children
FROM parquet_schema($path)
