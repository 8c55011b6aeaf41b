-- Answers: which rows of a lake's table were inserted, changed or deleted after a snapshot, by the numbers that rows
--   keep; new is a row that was inserted, and that nobody has touched since.
-- Reads: table_changes, the lake's feed of what happened to the table (rowid, snapshot_id, change_type).
-- Takes: $since, the snapshot.
-- Gives: the table changes (row_number, is_new).
CREATE OR REPLACE TEMP TABLE changes AS
SELECT rowid AS row_number, count(*) = 1 AND min(change_type) = 'insert' AS is_new
FROM table_changes
WHERE snapshot_id > $since
GROUP BY rowid
