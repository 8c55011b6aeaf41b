-- Answers: the half labels with one dimension more that enough rows fall under. They are numbered so that of two which
-- lose the same the one of fewer rows comes first. A shape is a level for each dimension, the height their sum.
-- Reads: half_next, the half tuples with one dimension more (before, this_position, row_count); half_above, the half
-- labels above each half tuple (label, tuple, shape, height, cost); ancestors, the nodes of a dimension above each
-- position (number, position, level, cost).
-- Takes: this_position, of each dimension the column of positions; $k, the fewest rows of a class.
-- Gives: the table half_labels (label, before, number, shape, height, cost).
CREATE OR REPLACE TEMP TABLE half_labels AS
SELECT
    row_number() OVER (ORDER BY sum(half_next.row_count), half_above.label, ancestors.number) AS label,
    half_above.label AS before,
    ancestors.number,
    any_value(hash(half_above.shape, ancestors.level)) AS shape,
    any_value(half_above.height + ancestors.level) AS height,
    any_value(half_above.cost + ancestors.cost) AS cost
FROM half_next
JOIN half_above ON half_above.tuple = half_next.before
JOIN ancestors ON ancestors.position = half_next.this_position
GROUP BY half_above.label, ancestors.number
HAVING sum(half_next.row_count) >= $k
