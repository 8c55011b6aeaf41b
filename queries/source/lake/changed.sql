-- Answers: how many rows are new, and how many were changed or deleted since.
-- Reads: changes, which rows something happened to (is_new).
-- Takes: nothing.
-- Gives: one row (new, changed).
SELECT count(*) FILTER (WHERE is_new) AS new, count(*) FILTER (WHERE NOT is_new) AS changed
FROM changes
