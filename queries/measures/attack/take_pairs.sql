-- Answers: the beginnings that match after the last column, under the name that they are read by.
-- Reads: next_pairs, the beginnings that match (target, node).
-- Takes: nothing.
-- Gives: the table pairs (target, node).
CREATE OR REPLACE TEMP TABLE pairs AS
SELECT target, node
FROM next_pairs
