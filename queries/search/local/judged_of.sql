-- What the models judge, by the class that its tuple is in.
SELECT classed.class_key, judged_cells.*
FROM judged_cells
JOIN classed ON classed.cell = judged_cells.cell
