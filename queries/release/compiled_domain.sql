-- Answers: the values of one dimension as a statement lists them, with their positions.
-- Reads: domain (value, position).
-- Takes: nothing.
-- Gives: value as text, position.
SELECT DISTINCT CAST(value AS VARCHAR) AS value, CAST(position AS BIGINT) AS position
FROM domain
ORDER BY position, value
