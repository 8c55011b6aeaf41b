-- Answers: the tuples by their groups.
-- Reads: members, the group of each cell (cell, part); cells, the distinct tuples, numbered (cell, this_position,
-- row_count).
-- Takes: this_position, of each dimension the column of positions.
-- Gives: the table assigned (part, this_position, row_count).
CREATE OR REPLACE TEMP TABLE kanon.assigned AS
SELECT members.part, cells.this_position, cells.row_count
FROM members
JOIN cells ON cells.cell = members.cell
