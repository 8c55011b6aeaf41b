-- Answers: distinct combinations of quasi-identifier values, and the rows that they stand for.
-- Reads: tuples, the distinct tuples (row_count).
-- Takes: nothing.
-- Gives: combinations, participants.
SELECT
    count(*) AS combinations,
    CAST(coalesce(sum(row_count), 0) AS BIGINT) AS participants
FROM kanon.tuples
