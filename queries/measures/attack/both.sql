-- Answers: the nearest classes of everybody by one set of columns beside those by the other.
-- Reads: left_near and right_near, the nearest classes by each set (target, node).
-- Takes: nothing.
-- Gives: the table both_near (target, left_node, right_node).
CREATE OR REPLACE TEMP TABLE both_near AS
SELECT left_near.target, left_near.node AS left_node, right_near.node AS right_node
FROM left_near
JOIN right_near ON right_near.target = left_near.target
