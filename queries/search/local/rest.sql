-- The tuples that have no class yet, by their halves.
CREATE OR REPLACE TEMP TABLE rest AS
SELECT cells.cell, tuples_a.tuple AS tuple_a, tuples_b.tuple AS tuple_b, cells.row_count
FROM cells
JOIN tuples_a ON tuples_a.one_position = cells.one_position
JOIN tuples_b ON tuples_b.other_position = cells.other_position
