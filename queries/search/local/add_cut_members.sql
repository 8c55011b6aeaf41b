-- The classes that the rest was cut into, numbered after those that were swept.
INSERT INTO members
SELECT
    CAST(cut_classes.part + (SELECT coalesce(max(part), 0) + 1 FROM members) AS INTEGER) AS part,
    cells.cell,
    cut_classes.row_count
FROM cut_classes
JOIN cells ON cells.this_position = cut_classes.this_position
