-- Answers: the classes up to a place in that order, and the tuples left over, as one.
-- Reads: members, the tuples of each class, with their rows there (cell, row_count, part); merge_order, the classes in
-- the order in which they are joined (part, place).
-- Takes: $places, how many classes are joined.
-- Gives: cell, row_count, part.
SELECT members.cell, members.row_count, 0 AS part
FROM members
LEFT JOIN merge_order ON merge_order.part = members.part
WHERE members.part = 0 OR merge_order.place <= $places
