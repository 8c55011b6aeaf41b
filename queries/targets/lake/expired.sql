-- Answers: how many snapshots of a lake are forgotten now: all but the newest.
-- Reads: ducklake_expire_snapshots(), which removes them from the catalog.
-- Takes: $lake, the name under which the lake is attached.
-- Gives: one row (snapshots).
SELECT count(*) AS snapshots
FROM ducklake_expire_snapshots($lake, older_than => now() + INTERVAL 100 YEAR)
