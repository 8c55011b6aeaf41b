-- Answers: how many values a column has, and how many of them share their pseudonym with another one.
-- Reads: kept, the distinct values of the column with what is released of each.
-- Takes: kept_pseudonym, what is released; kept_missing, whether a value is none.
-- Gives: different, colliding.
SELECT count(*) AS different, count(*) - count(DISTINCT kept_pseudonym) AS colliding
FROM kept
WHERE NOT kept_missing
