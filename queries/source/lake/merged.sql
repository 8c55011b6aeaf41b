-- Answers: whether files of a table of a lake were merged after a snapshot.
-- Reads: lake_tables, those of the catalog (table_id, table_uuid); lake_changes, what each snapshot changed, as words
--   with the number of the table (snapshot_id, changes_made).
-- Takes: $table, what tells the table from others; $since, the snapshot.
-- Gives: one row (is_merged).
SELECT count(*) > 0 AS is_merged
FROM lake_changes
JOIN lake_tables ON CAST(lake_tables.table_uuid AS VARCHAR) = $table
WHERE
    snapshot_id > $since
    AND list_has_any(
        string_split(changes_made, ','),
        ['merge_adjacent:' || lake_tables.table_id, 'compacted_table:' || lake_tables.table_id]
    )
