-- Answers: the tuples that have no class yet, by their halves.
-- Reads: cells, the distinct tuples, numbered (cell, row_count, one_position, other_position); tuples_a and tuples_b,
-- each the half tuples of one half (tuple, one_position, other_position).
-- Takes: one_position and other_position, of each dimension of the first and of the second half its column of
-- positions.
-- Gives: the table rest (cell, tuple_a, tuple_b, row_count).
CREATE OR REPLACE TEMP TABLE rest AS
SELECT cells.cell, tuples_a.tuple AS tuple_a, tuples_b.tuple AS tuple_b, cells.row_count
FROM cells
JOIN tuples_a ON tuples_a.one_position = cells.one_position
JOIN tuples_b ON tuples_b.other_position = cells.other_position
