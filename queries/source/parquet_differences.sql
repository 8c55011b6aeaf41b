-- Answers: Parquet files whose columns, in order, are not those of the first file. Rows of parquet_schema come out of
-- order where there are many: only column_id tells the place of a column in its file.
-- Reads: parquet_schema(), what the engine tells.
-- Takes: $paths, the files, with what reads as a glob in them escaped.
-- Gives: file_name.
WITH described AS (
    SELECT
        file_name,
        list([name, coalesce(type, ''), coalesce(converted_type, ''), coalesce(CAST(logical_type AS VARCHAR), '')]
            ORDER BY column_id) AS columns
    FROM parquet_schema($paths)
    WHERE num_children IS NULL OR num_children = 0
    GROUP BY file_name
)
SELECT file_name
FROM described
WHERE columns <> (SELECT columns FROM described ORDER BY file_name LIMIT 1)
ORDER BY file_name
LIMIT 1
