-- Answers: the tuples that are cut: those without a class.
-- Reads: cells, the distinct tuples, numbered (this_position, cell); rest, the tuples without a class (row_count,
-- cell).
-- Takes: this_position, of each dimension the column of positions.
-- Gives: the table cut_tuples (this_position, row_count).
CREATE OR REPLACE TEMP TABLE cut_tuples AS
SELECT cells.this_position, rest.row_count
FROM cells
JOIN rest ON rest.cell = cells.cell
