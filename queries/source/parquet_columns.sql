-- The schema of a Parquet file in the order of its footer: every column, nested ones below their parent.
SELECT name, num_children
FROM parquet_schema($path)
