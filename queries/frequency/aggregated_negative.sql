-- Answers: how many distinct values of a column are below 0.
-- Reads: aggregated, its values (number).
-- Takes: nothing.
-- Gives: negative.
SELECT count(CASE WHEN number < 0 THEN 1 END) AS negative
FROM aggregated
