-- Answers: how many pairs are looked at where the beginnings of classes that match so far are joined first with the
-- labels that stand for a value of the next column, and how many where they are joined first with the longer
-- beginnings.
-- Reads: pairs, the beginnings that match so far (target, node); attack_targets, the rows that an adversary looks for
-- (target, this_rank); classes, the released classes (parent_node, this_node); cover, the labels of the column that
-- stand for a rank (rank).
-- Takes: parent_node and this_node, the columns of the classes up to the column before and to this one; this_rank, the
-- column of ranks.
-- Gives: by_labels, by_classes.
SELECT
    CAST(coalesce(sum(labels.total), 0) AS BIGINT) AS by_labels,
    CAST(coalesce(sum(children.total), 0) AS BIGINT) AS by_classes
FROM pairs
JOIN kanon.attack_targets ON attack_targets.target = pairs.target
LEFT JOIN (SELECT rank, count(*) AS total FROM cover GROUP BY rank) AS labels ON labels.rank = attack_targets.this_rank
LEFT JOIN (
    SELECT parent, count(*) AS total
    FROM (SELECT DISTINCT parent_node AS parent, this_node AS node FROM classes) AS longer
    GROUP BY parent
) AS children ON children.parent = pairs.node
