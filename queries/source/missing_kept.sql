-- Answers: whether some row has no value of which a kept hash is made.
-- Reads: kept, the hashed values (original).
-- Gives: is_missing.
SELECT count(*) > 0 AS is_missing
FROM kept
WHERE original IS NULL
