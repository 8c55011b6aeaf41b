-- Answers: which rows of a lake's table were inserted, changed or deleted after a snapshot, by the numbers that rows
--   keep; new is a row that was inserted, and that nobody has touched since. Of a row that was there before, the feed
--   may tell a change as an insertion alone: its number is below those of new rows.
--   From 10 to the power of 18 on numbers are those of a transaction alone, which an old row may have as well.
-- Reads: table_changes, the lake's feed of what happened to the table (rowid, snapshot_id, change_type).
-- Takes: $since, the snapshot; $next_row, from which number on rows were numbered after it.
-- Gives: the table changes (row_number, is_new).
CREATE OR REPLACE TEMP TABLE changes AS
SELECT
    rowid AS row_number,
    count(*) = 1 AND min(change_type) = 'insert' AND rowid BETWEEN $next_row AND 999999999999999999 AS is_new
FROM table_changes
WHERE snapshot_id > $since
GROUP BY rowid
