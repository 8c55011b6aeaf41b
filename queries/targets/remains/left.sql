-- Answers: how many values are left.
-- Reads: hits, the values.
-- Takes: nothing.
-- Gives: one row (left_over).
SELECT count(*) AS left_over
FROM hits
