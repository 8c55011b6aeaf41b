-- Answers: which table of a lake a name means now, how far the lake's history has come, and from where on it is whole.
-- Reads: lake_tables and lake_snapshots, tables of the catalog; lake_schemas, those of its schemas.
-- Takes: $schema and $name, of the table.
-- Gives: one row, none where it is no table (table_uuid, snapshot).
SELECT
    CAST(lake_tables.table_uuid AS VARCHAR) AS table_uuid,
    (SELECT max(snapshot_id) FROM lake_snapshots) AS snapshot
FROM lake_tables
JOIN lake_schemas ON lake_schemas.schema_id = lake_tables.schema_id
WHERE
    lake_tables.end_snapshot IS NULL
    AND lake_schemas.end_snapshot IS NULL
    AND lower(lake_tables.table_name) = lower($name)
    AND lower(lake_schemas.schema_name) = lower($schema)
