-- Answers: the classes, those up to a place in that order being one with the tuples left over; all of them, or only
-- that one.
-- Reads: members, the tuples of each class, with their rows there, the tuples left over being number 0 (cell,
-- row_count, part); merge_order, the classes in the order in which they are joined (part, place).
-- Takes: $places, how many classes are joined; $all_classes, whether all are asked for.
-- Gives: cell, row_count, part.
WITH merged AS (
    SELECT
        members.cell,
        members.row_count,
        CASE WHEN merge_order.place <= $places THEN 0 ELSE members.part END AS part
    FROM members
    LEFT JOIN merge_order ON merge_order.part = members.part
)
SELECT cell, row_count, part
FROM merged
WHERE $all_classes OR part = 0
