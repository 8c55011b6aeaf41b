-- Answers: how many rare pairs are matched, and what is lost by them at least.
-- Reads: matched (worth), one row a pair.
-- Takes: nothing.
-- Gives: one row (pairs, worth in millionths of a pair).
SELECT count(*) AS pairs, coalesce(CAST(sum(worth) AS BIGINT), 0) AS worth
FROM matched
