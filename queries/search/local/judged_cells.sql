-- What the models judge, by the numbers of the tuples.
CREATE OR REPLACE TEMP TABLE judged_cells AS
SELECT cells.cell, judged.*
FROM judged
JOIN cells ON cells.this_position = judged.this_position
