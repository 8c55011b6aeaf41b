-- Answers: which combinations of both sides match, by their numbers.
-- Reads: pairs, the pairs of both sides that match (left_node, right_node); left_groups and right_groups, each the
-- distinct rows of one side (number, row_count, node).
-- Takes: nothing.
-- Gives: the table group_pairs (left_number, right_number, left_rows, right_rows).
CREATE OR REPLACE TEMP TABLE kanon.group_pairs AS
SELECT
    left_groups.number AS left_number,
    right_groups.number AS right_number,
    left_groups.row_count AS left_rows,
    right_groups.row_count AS right_rows
FROM kanon.pairs
JOIN left_groups ON left_groups.node = pairs.left_node
JOIN right_groups ON right_groups.node = pairs.right_node
