-- Parquet files whose columns, in order, are not those of the first file.
WITH described AS (
    SELECT
        file_name,
        list([name, coalesce(type, ''), coalesce(converted_type, ''), coalesce(CAST(logical_type AS VARCHAR), '')]
            ORDER BY place) AS columns
    FROM (
        SELECT *, row_number() OVER (PARTITION BY file_name) AS place
        FROM parquet_schema($paths)
        WHERE num_children IS NULL OR num_children = 0
    ) AS leaves
    GROUP BY file_name
)
SELECT file_name
FROM described
WHERE columns <> (SELECT columns FROM described ORDER BY file_name LIMIT 1)
ORDER BY file_name
LIMIT 1
