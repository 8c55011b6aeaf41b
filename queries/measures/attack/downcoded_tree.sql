-- Answers: of one dimension with a hierarchy, the cells of each class that its label tells: it is the lowest that is
-- above all values of the class, so that at least two of its children are in it; where it has two, these.
-- Reads: classes, the classes by the least and the greatest position (part, this_low, this_high); assigned, the tuples
-- of each class (this_position).
-- Takes: level_shift, of each level the shift of a position to its node there; step_number, of each level but the
-- leaves its number; step_shift and step_below, the shifts to its nodes and to those below; this_high and this_low, the
-- least and the greatest position; this_lowest, the lowest level that a release may use; this_position, the column of
-- positions.
-- Gives: part; cells.
SELECT
    reached.part,
    CASE WHEN reached.level > this_lowest AND children.row_count = 2 THEN 2 ELSE 0 END AS cells
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
LEFT JOIN (
    SELECT level, node, count(DISTINCT child) AS row_count
    FROM (
        SELECT
            unnest([LIST_OF(CAST(step_number AS INTEGER))]) AS level,
            unnest([LIST_OF(places.position >> step_shift)]) AS node,
            unnest([LIST_OF(places.position >> step_below)]) AS child
        FROM (SELECT DISTINCT CAST(this_position AS BIGINT) AS position FROM assigned) AS places
    ) AS reaching
    GROUP BY level, node
) AS children
    ON children.level = reached.level
    AND children.node = reached.low >> [LIST_OF(level_shift)][reached.level + 1]
