-- Answers: whether some row has no value of which a kept hash is made.
-- Reads: kept, the hashed values (original).
-- Takes: nothing.
-- Gives: is_missing.
SELECT count(*) > 0 AS is_missing
FROM kept
WHERE original IS NULL
