-- Answers: along hierarchies: each place between two neighbouring leaves of a partition where both sides satisfy the
-- models. The lowest common ancestor of a range of leaves is on the level below which its first and its last leaf part.
-- The preference is that of ordered cuts, among the places between two children of the partition's own ancestor.
-- Reads: ancestors, the nodes above each leaf (cost, level, dimension, position); histogram, the rows of each partition
-- at each position of a dimension (part, dimension, position, next_position, rows_so_far); spans, the ends of each
-- partition along each dimension (first_position, row_count, rows_before, last_position, part, dimension); trees, the
-- shifts of each hierarchy (min_level, dimension).
-- Takes: level_shift, of each level the column of its shift in trees and the shift; $k, the fewest rows of a class.
-- Gives: further rows of the table allowable_cuts (part, dimension, low, high, left_rows, row_count, width, gain,
-- preference).
INSERT INTO allowable_cuts
WITH neighbours AS (
    SELECT
        histogram.part,
        histogram.dimension,
        histogram.position,
        histogram.next_position,
        spans.first_position,
        spans.row_count,
        histogram.rows_so_far - spans.rows_before AS left_rows,
        greatest(
            trees.min_level,
            SUM_OF(CASE WHEN (spans.first_position >> trees.level_shift) <> (spans.last_position >> trees.level_shift) THEN 1 ELSE 0 END)
        ) AS level,
        greatest(
            trees.min_level,
            SUM_OF(CASE WHEN (spans.first_position >> trees.level_shift) <> (histogram.position >> trees.level_shift) THEN 1 ELSE 0 END)
        ) AS left_level,
        greatest(
            trees.min_level,
            SUM_OF(CASE WHEN (histogram.next_position >> trees.level_shift) <> (spans.last_position >> trees.level_shift) THEN 1 ELSE 0 END)
        ) AS right_level,
        SUM_OF(CASE WHEN (histogram.position >> trees.level_shift) <> (histogram.next_position >> trees.level_shift) THEN 1 ELSE 0 END)
            AS meeting_level,
        trees.min_level
    FROM histogram
    JOIN spans ON spans.part = histogram.part AND spans.dimension = histogram.dimension
    JOIN trees ON trees.dimension = histogram.dimension
    WHERE histogram.position < spans.last_position
),
medians AS (
    SELECT
        part,
        dimension,
        min(CASE WHEN 2 * left_rows >= row_count THEN left_rows END) AS behind_median,
        max(CASE WHEN 2 * left_rows < row_count THEN left_rows END) AS before_median
    FROM neighbours
    WHERE meeting_level = level AND level > min_level
    GROUP BY part, dimension
)
SELECT
    neighbours.part,
    neighbours.dimension,
    0 AS low,
    neighbours.position AS high,
    neighbours.left_rows,
    neighbours.row_count,
    whole_node.cost AS width,
    neighbours.row_count * whole_node.cost
    - neighbours.left_rows * left_node.cost
    - (neighbours.row_count - neighbours.left_rows) * right_node.cost AS gain,
    CASE neighbours.left_rows
        WHEN medians.behind_median THEN 2
        WHEN medians.before_median THEN 1
        ELSE 0
    END AS preference
FROM neighbours
LEFT JOIN medians
    ON medians.part = neighbours.part
    AND medians.dimension = neighbours.dimension
    AND neighbours.meeting_level = neighbours.level
JOIN ancestors AS whole_node
    ON whole_node.dimension = neighbours.dimension
    AND whole_node.position = neighbours.position
    AND whole_node.level = neighbours.level
JOIN ancestors AS left_node
    ON left_node.dimension = neighbours.dimension
    AND left_node.position = neighbours.position
    AND left_node.level = neighbours.left_level
JOIN ancestors AS right_node
    ON right_node.dimension = neighbours.dimension
    AND right_node.position = neighbours.next_position
    AND right_node.level = neighbours.right_level
WHERE neighbours.left_rows >= $k AND neighbours.row_count - neighbours.left_rows >= $k
