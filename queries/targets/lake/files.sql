-- Answers: in which files the rows of a lake stand, and which rows are deleted, of all its snapshots.
-- Reads: lake_data_files, lake_delete_files, lake_tables and lake_schemas, tables of the catalog: a path may be
--   relative to the folder of the table, that to the one of the schema, and that to the one of the lake.
-- Takes: nothing.
-- Gives: rows (path, within: whether it is relative to the folder of the lake).
WITH folders AS (
    SELECT
        lake_tables.table_id,
        CASE
            WHEN lake_tables.path_is_relative THEN lake_schemas.path || lake_tables.path
            ELSE lake_tables.path
        END AS path,
        lake_tables.path_is_relative AND lake_schemas.path_is_relative AS within
    FROM lake_tables
    JOIN lake_schemas ON lake_tables.schema_id = lake_schemas.schema_id
),

files AS (
    SELECT table_id, path, path_is_relative FROM lake_data_files
    UNION ALL
    SELECT table_id, path, path_is_relative FROM lake_delete_files
)

SELECT DISTINCT
    CASE WHEN files.path_is_relative THEN folders.path || files.path ELSE files.path END AS path,
    files.path_is_relative AND folders.within AS within
FROM files
JOIN folders ON files.table_id = folders.table_id
ORDER BY path
