-- Answers: these classes are one.
-- Reads: members, the tuples of each class, with their rows there (cell, row_count, part); merge_order, the classes in
-- the order in which they are joined (part, place).
-- Takes: $places, how many classes are joined.
-- Gives: the table members (part, cell, row_count).
CREATE OR REPLACE TEMP TABLE members AS
SELECT
    CASE WHEN merge_order.place <= $places THEN 0 ELSE members.part END AS part,
    members.cell,
    members.row_count
FROM members
LEFT JOIN merge_order ON merge_order.part = members.part
