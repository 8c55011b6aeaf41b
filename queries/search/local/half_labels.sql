-- Answers: the half labels with one dimension more that enough rows fall under. They are numbered so that of two which
-- lose the same the one of fewer rows comes first. A shape is a level for each dimension, the height their sum.
-- Reads: half_tuples, the half tuples with one dimension more (before, this_position, row_count); half_above, the half
-- labels above each half tuple (label, tuple); ancestors, the nodes of a dimension above each position (number,
-- position, level, cost); half_labels, the half labels so far (label, shape, height, cost).
-- Takes: this_position, of each dimension the column of positions; $k, the fewest rows of a class.
-- Gives: the table half_labels (label, before, number, shape, height, cost).
CREATE OR REPLACE TEMP TABLE half_labels AS
WITH counted AS (
    SELECT half_above.label AS before, ancestors.number, sum(half_tuples.row_count) AS row_count
    FROM half_tuples
    JOIN half_above ON half_above.tuple = half_tuples.before
    JOIN ancestors ON ancestors.position = half_tuples.this_position
    GROUP BY half_above.label, ancestors.number
    HAVING sum(half_tuples.row_count) >= $k
),
nodes AS (
    SELECT DISTINCT number, level, cost
    FROM ancestors
)
SELECT
    CAST(row_number() OVER (ORDER BY counted.row_count, counted.before, counted.number) AS INTEGER) AS label,
    counted.before,
    counted.number,
    hash(half_labels.shape, nodes.level) AS shape,
    half_labels.height + nodes.level AS height,
    half_labels.cost + nodes.cost AS cost
FROM counted
JOIN half_labels ON half_labels.label = counted.before
JOIN nodes ON nodes.number = counted.number
