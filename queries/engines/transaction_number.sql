-- Answers: in which transaction does this statement run? Two statements share it only where the user has one open.
-- Reads: nothing.
-- Takes: nothing.
-- Gives: transaction_number.
SELECT txid_current() AS transaction_number
