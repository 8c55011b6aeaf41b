-- Answers: the classes that the rest was cut into, numbered after those that were swept.
-- Reads: cut_classes, the classes that cuts made (row_count, this_position, part); cells, the distinct tuples, numbered
-- (cell, this_position); members, the tuples of each class, with their rows there (part).
-- Takes: this_position, of each dimension the column of positions.
-- Gives: further rows of the table members (part, cell, row_count).
INSERT INTO members
SELECT
    CAST(cut_classes.part + (SELECT coalesce(max(part), 0) + 1 FROM members) AS INTEGER) AS part,
    cells.cell,
    cut_classes.row_count
FROM cut_classes
JOIN cells ON cells.this_position = cut_classes.this_position
