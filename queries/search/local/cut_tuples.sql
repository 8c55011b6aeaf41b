-- The tuples that are cut: those without a class.
CREATE OR REPLACE TEMP TABLE cut_tuples AS
SELECT cells.this_position, rest.row_count
FROM cells
JOIN rest ON rest.cell = cells.cell
