-- The classes up to a place in that order, and the tuples left over, as one.
SELECT members.cell, members.row_count, 0 AS part
FROM members
LEFT JOIN merge_order ON merge_order.part = members.part
WHERE members.part = 0 OR merge_order.place <= $places
