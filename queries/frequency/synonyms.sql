-- Answers: texts of a sensitive column that stand for the same value as another one.
-- Reads: domain, the distinct values of a column (position); a missing value has position 0.
-- Takes: nothing.
-- Gives: synonyms.
SELECT count(*) - count(DISTINCT position) AS synonyms
FROM domain
WHERE position > 0
