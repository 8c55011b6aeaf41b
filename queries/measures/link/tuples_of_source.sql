-- Answers: how many rows of the source each combined tuple stands for.
-- Reads: origins, the rows of the source that stand for a pair of tuples (tuple, row_count).
-- Takes: nothing.
-- Gives: the table tuples (tuple, row_count).
CREATE OR REPLACE TEMP TABLE kanon.tuples AS
SELECT tuple, CAST(sum(row_count) AS BIGINT) AS row_count
FROM kanon.origins
GROUP BY tuple
