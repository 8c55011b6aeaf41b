-- Answers: what facts of persons are worth together.
-- Reads: kept, facts of persons (person, fact, worth).
-- Takes: nothing.
-- Gives: one row (worth in millionths of a pair).
SELECT coalesce(CAST(sum(worth) AS HUGEINT), 0) AS worth
FROM kept
