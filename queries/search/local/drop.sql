-- Answers: a table that is large and no longer needed.
-- Reads: nothing.
-- Takes: unneeded, the table.
-- Gives: nothing; the table that is given is gone.
DROP TABLE IF EXISTS unneeded
