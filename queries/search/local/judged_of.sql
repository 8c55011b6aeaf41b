-- Answers: what the models judge, by the class that its tuple is in.
-- Reads: judged_cells, what the models judge, by the numbers of the tuples (all columns); classed, tuples with the
-- class of each (class_key, cell).
-- Takes: class_key, the name of the column of classes.
-- Gives: the columns that are read.
SELECT classed.class_key, judged_cells.*
FROM judged_cells
JOIN classed ON classed.cell = judged_cells.cell
