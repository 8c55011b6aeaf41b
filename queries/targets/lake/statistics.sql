-- Answers: how many least and greatest values the catalog of a lake holds of tables that are no more in it.
-- Reads: lake_file_statistics, lake_column_statistics and lake_tables, tables of the catalog.
-- Takes: nothing.
-- Gives: one row (left_over).
WITH statistics AS (
    SELECT table_id FROM lake_file_statistics
    UNION ALL
    SELECT table_id FROM lake_column_statistics
)

SELECT count(*) AS left_over
FROM statistics
WHERE NOT EXISTS (
    SELECT 1 FROM lake_tables WHERE lake_tables.table_id = statistics.table_id AND lake_tables.end_snapshot IS NULL
)
