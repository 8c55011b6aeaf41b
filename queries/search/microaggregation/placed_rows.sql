-- Answers: the rows of each cell, by the group that it is in.
-- Reads: members, the group of each cell (cell, part); cells, the distinct tuples (cell, row_count).
-- Takes: nothing.
-- Gives: part, cell, row_count.
SELECT members.part, members.cell, cells.row_count
FROM members
JOIN cells ON cells.cell = members.cell
