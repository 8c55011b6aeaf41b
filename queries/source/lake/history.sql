-- Answers: how many of the snapshots of a lake are still there, from one on.
-- Reads: lake_snapshots, a table of the catalog.
-- Takes: $since, the first snapshot.
-- Gives: one row (snapshots).
SELECT count(*) AS snapshots
FROM lake_snapshots
WHERE snapshot_id >= $since
