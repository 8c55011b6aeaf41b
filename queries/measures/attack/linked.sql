-- Answers: how many of those who are looked for are linked: for each the chance that a row drawn from the nearest ones
-- by one set of columns is the row drawn from the nearest ones by the other.
-- Reads: attack_targets, the rows that an adversary looks for (target, is_control); left_near and right_near, the
-- nearest classes by each set (target, node); left_classes and right_classes, the released classes by each set
-- (left_last, right_last, row_count); both_near, both sides of everybody (target, left_node, right_node); joint, the
-- rows of a pair of classes (left_node, right_node, row_count).
-- Takes: left_last and right_last, the names of the classes.
-- Gives: is_control, asked, linked.
SELECT
    attack_targets.is_control,
    count(*) AS asked,
    sum(coalesce(shared.row_count, 0) / (lefts.row_count * rights.row_count)) AS linked
FROM kanon.attack_targets
JOIN (
    SELECT left_near.target, CAST(sum(left_classes.row_count) AS DOUBLE) AS row_count
    FROM left_near
    JOIN left_classes ON left_classes.left_last = left_near.node
    GROUP BY left_near.target
) AS lefts ON lefts.target = attack_targets.target
JOIN (
    SELECT right_near.target, CAST(sum(right_classes.row_count) AS DOUBLE) AS row_count
    FROM right_near
    JOIN right_classes ON right_classes.right_last = right_near.node
    GROUP BY right_near.target
) AS rights ON rights.target = attack_targets.target
LEFT JOIN (
    SELECT both_near.target, CAST(sum(joint.row_count) AS DOUBLE) AS row_count
    FROM both_near
    JOIN joint ON joint.left_node = both_near.left_node AND joint.right_node = both_near.right_node
    GROUP BY both_near.target
) AS shared ON shared.target = attack_targets.target
GROUP BY attack_targets.is_control
