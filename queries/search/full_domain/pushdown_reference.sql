-- Answers: how many of all rows hold each sensitive value? Loaded into the engine that holds the rows.
-- Reads: reference (value, row_count, share; -1 stands before the first value).
-- Takes: nothing.
-- Gives: the same without -1; share as a text, which loses no digit on the way.
SELECT value, row_count, CAST(share AS VARCHAR) AS share
FROM reference
WHERE value >= 0
