-- Answers: which table of a lake a name means now, how far the lake's history has come, and from which number on rows
--   are numbered that are inserted from now on.
-- Reads: lake_tables and lake_snapshots, tables of the catalog; lake_schemas, those of its schemas; lake_stats, what it
--   knows of the rows of each table.
-- Takes: $schema and $name, of the table.
-- Gives: one row, none where it is no table (table_uuid, snapshot, next_row).
SELECT
    CAST(lake_tables.table_uuid AS VARCHAR) AS table_uuid,
    (SELECT max(snapshot_id) FROM lake_snapshots) AS snapshot,
    (
        SELECT coalesce(max(next_row_id), 0)
        FROM lake_stats
        WHERE lake_stats.table_id = lake_tables.table_id
    ) AS next_row
FROM lake_tables
JOIN lake_schemas ON lake_schemas.schema_id = lake_tables.schema_id
WHERE
    lake_tables.end_snapshot IS NULL
    AND lake_schemas.end_snapshot IS NULL
    AND lower(lake_tables.table_name) = lower($name)
    AND lower(lake_schemas.schema_name) = lower($schema)
