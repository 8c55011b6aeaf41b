-- Answers: the rows of each cell, by the group that it is in.
-- Reads: members, the points by their groups (cell, part, row_count).
-- Takes: nothing.
-- Gives: part, cell, row_count.
SELECT part, cell, row_count
FROM members
