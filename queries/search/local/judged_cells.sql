-- Answers: what the models judge, by the numbers of the tuples.
-- Reads: judged, a table that the models judge (all columns); cells, the distinct tuples, numbered (cell,
-- this_position).
-- Takes: this_position, of each dimension the column of positions.
-- Gives: the table judged_cells, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE judged_cells AS
SELECT cells.cell, judged.*
FROM judged
JOIN cells ON cells.this_position = judged.this_position
