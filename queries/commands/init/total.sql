-- Answers: how many rows were drawn.
-- Reads: sample, some rows.
-- Takes: nothing.
-- Gives: rows.
SELECT count(*) AS rows FROM sample
