-- Answers: values that could not be read in the order asked for, and numbers or dates without end.
-- Reads: domain, the distinct values of a column (position, endless, ordered, missing).
-- Takes: nothing.
-- Gives: unreadable, endless, values, has_missing.
SELECT
    count(CASE WHEN ordered IS NULL AND NOT missing THEN 1 END) AS unreadable,
    count(CASE WHEN endless THEN 1 END) AS endless,
    coalesce(max(position), 0) AS values,
    count(CASE WHEN position = 0 THEN 1 END) > 0 AS has_missing
FROM domain
