-- Answers: how many rows were drawn.
-- Reads: init_sample, some rows.
-- Takes: nothing.
-- Gives: rows.
SELECT count(*) AS rows FROM kanon.init_sample
