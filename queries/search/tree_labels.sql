-- One dimension with a hierarchy: each class as the lowest common ancestor of its values, * where missing ones are
-- among others.
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
