-- Answers: the beginnings of classes, longer by one column, whose labels stand for those who are looked for.
-- Reads: wanted, the beginnings that match so far with the labels of the next column that would (target, node, code);
-- classes, the released classes (parent_node, this_node, this_code).
-- Takes: parent_node and this_node, the columns of the classes up to the column before and to this one; this_code, the
-- column of codes.
-- Gives: the table next_pairs (target, node).
CREATE OR REPLACE TEMP TABLE next_pairs AS
SELECT wanted.target, children.node
FROM wanted
JOIN (SELECT DISTINCT parent_node AS parent, this_code AS code, this_node AS node FROM classes) AS children
    ON children.parent = wanted.node AND children.code = wanted.code
