-- Answers: the greatest code of a sensitive column in the new data.
-- Reads: domain, the distinct values of a column (position).
-- Takes: nothing.
-- Gives: top.
SELECT CAST(coalesce(max(position), 0) AS BIGINT) AS top
FROM domain
