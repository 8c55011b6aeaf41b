-- Answers: a table that is no longer needed.
-- Reads: nothing.
-- Takes: scratch, the table.
-- Gives: nothing; the table that is given is gone.
DROP TABLE IF EXISTS scratch
