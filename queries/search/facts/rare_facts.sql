-- Answers: how many facts fewer than k persons keep.
-- Reads: support, of each fact how many persons keep it (persons).
-- Takes: $k.
-- Gives: one row (facts).
SELECT count(*) AS facts
FROM support
WHERE persons < $k
