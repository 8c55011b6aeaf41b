-- Answers: what a table of a lake has beside its columns that a table made anew has not.
-- Reads: lake_partitions, lake_sorts, lake_comments, lake_column_comments, lake_tables and lake_schemas, tables of the
--   catalog.
-- Takes: $schema and $name, the table.
-- Gives: rows (kind), in the order of the letters.
WITH replaced AS (
    SELECT lake_tables.table_id
    FROM lake_tables
    JOIN lake_schemas ON lake_tables.schema_id = lake_schemas.schema_id
    WHERE
        lower(lake_tables.table_name) = lower($name) AND lower(lake_schemas.schema_name) = lower($schema)
        AND lake_tables.end_snapshot IS NULL AND lake_schemas.end_snapshot IS NULL
),

properties AS (
    SELECT table_id, 'partitions' AS kind FROM lake_partitions WHERE end_snapshot IS NULL
    UNION
    SELECT table_id, 'order of rows' AS kind FROM lake_sorts WHERE end_snapshot IS NULL
    UNION
    SELECT object_id AS table_id, 'comments' AS kind FROM lake_comments WHERE end_snapshot IS NULL
    UNION
    SELECT table_id, 'comments' AS kind FROM lake_column_comments WHERE end_snapshot IS NULL
)

SELECT properties.kind
FROM properties
JOIN replaced ON properties.table_id = replaced.table_id
ORDER BY properties.kind
