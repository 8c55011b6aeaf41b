-- Answers: the beginnings of classes, longer by one column, whose labels stand for those who are looked for.
-- Reads: pairs, the beginnings that match so far (target, node); targets, the rows that an adversary looks for (target,
-- this_rank); classes, the released classes (parent_node, this_node, this_code); cover, the labels of the column that
-- stand for a rank (rank, code).
-- Takes: parent_node and this_node, the columns of the classes up to the column before and to this one; this_code and
-- this_rank, the columns of codes and of ranks.
-- Gives: the table next_pairs (target, node).
CREATE OR REPLACE TEMP TABLE next_pairs AS
SELECT pairs.target, children.node
FROM pairs
JOIN targets ON targets.target = pairs.target
JOIN (SELECT DISTINCT parent_node AS parent, this_code AS code, this_node AS node FROM classes) AS children
    ON children.parent = pairs.node
JOIN cover ON cover.rank = targets.this_rank AND cover.code = children.code
