-- Answers: how many tuples and rows have no class yet.
-- Reads: rest, the tuples without a class (row_count).
-- Takes: nothing.
-- Gives: tuples, participants.
SELECT count(*) AS tuples, CAST(coalesce(sum(row_count), 0) AS BIGINT) AS participants
FROM rest
