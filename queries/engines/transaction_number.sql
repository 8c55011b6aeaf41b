-- The number of the transaction that this statement runs in.
SELECT txid_current() AS transaction_number
