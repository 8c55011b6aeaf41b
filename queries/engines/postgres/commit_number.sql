-- Answers: under which number can one ask, later on, whether this transaction was committed?
-- Reads: nothing.
-- Takes: nothing.
-- Gives: xact, the number as a text.
SELECT CAST(pg_current_xact_id() AS TEXT) AS xact
