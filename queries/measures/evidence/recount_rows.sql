-- Answers: how many rows a release holds, masked ones among them.
-- Reads: released, the release as it was written.
-- Takes: nothing.
-- Gives: one row: rows_written.
SELECT count(*) AS rows_written
FROM released
