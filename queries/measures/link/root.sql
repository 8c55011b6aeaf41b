-- Answers: before any column is looked at all rows of both sides are together.
-- Reads: nothing.
-- Takes: nothing.
-- Gives: the table pairs (left_node, right_node).
CREATE OR REPLACE TEMP TABLE kanon.pairs AS
SELECT 0 AS left_node, 0 AS right_node
