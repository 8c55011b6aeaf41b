-- Answers: one dimension with a hierarchy: each class as the lowest common ancestor of its values, * where missing ones
-- are among others.
-- Reads: nodes, the nodes of a hierarchy (cost, label, level, node); classes, the classes by the least and the greatest
-- position of each dimension (part, this_low, this_high).
-- Takes: level_shift, of each level the shift of a position to its node there; missing_position, the position of
-- missing values; this_high and this_low, of each dimension the least and the greatest position; this_lowest, the
-- lowest level that a release may use; top_level, the level of the top.
-- Gives: the table labels (part, label, cost).
CREATE OR REPLACE TEMP TABLE labels AS
SELECT
    reached.part,
    CASE
        WHEN reached.low = missing_position AND reached.level = top_level THEN '*'
        ELSE nodes.label
    END AS label,
    nodes.cost
FROM (
    SELECT
        classes.part,
        classes.this_low AS low,
        greatest(
            this_lowest,
            SUM_OF(CAST((classes.this_low >> level_shift) <> (classes.this_high >> level_shift) AS INTEGER))
        ) AS level
    FROM classes
) AS reached
JOIN nodes
    ON nodes.level = reached.level
    AND nodes.node = reached.low >> [LIST_OF(level_shift)][reached.level + 1]
