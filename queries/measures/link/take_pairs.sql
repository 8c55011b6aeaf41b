-- Answers: the pairs that are left take the place of those before.
-- Reads: next_pairs, the pairs after one more column (left_node, right_node).
-- Takes: nothing.
-- Gives: the table pairs (left_node, right_node).
CREATE OR REPLACE TEMP TABLE kanon.pairs AS
SELECT left_node, right_node
FROM kanon.next_pairs
