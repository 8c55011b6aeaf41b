-- Answers: along hierarchies: the child of a partition's lowest common ancestor at which half of the rows are reached
-- is shared out.
-- Reads: ancestors, the nodes above each leaf (cost, level, dimension, position, node); spans, the ends of each
-- partition along each dimension (all columns); trees, the shifts of each hierarchy (dimension); histogram, the rows of
-- each partition at each position of a dimension (position, row_count, rows_so_far, part, dimension).
-- Takes: level_shift, of each level the column of its shift in trees and the shift; $k, the fewest rows of a class.
-- Gives: further rows of the table halves (part, dimension, low, high, left_of_tie, row_count, width, gain).
INSERT INTO halves
WITH spread AS (
    SELECT
        spans.*,
        SUM_OF(CAST((spans.first_position >> trees.level_shift) <> (spans.last_position >> trees.level_shift) AS INTEGER))
            AS level
    FROM spans
    JOIN trees ON trees.dimension = spans.dimension
),
children AS (
    SELECT
        spread.part,
        spread.dimension,
        spread.level,
        spread.first_position,
        spread.last_position,
        spread.row_count AS all_rows,
        min(histogram.position) AS low,
        max(histogram.position) AS high,
        CAST(sum(histogram.row_count) AS BIGINT) AS row_count,
        max(histogram.rows_so_far) - any_value(spread.rows_before) AS left_rows
    FROM histogram
    JOIN spread ON spread.part = histogram.part AND spread.dimension = histogram.dimension
    JOIN ancestors AS child
        ON child.dimension = histogram.dimension
        AND child.position = histogram.position
        AND child.level = spread.level - 1
    GROUP BY
        spread.part, spread.dimension, spread.level, spread.first_position, spread.last_position, spread.row_count,
        child.node
),
ties AS (
    SELECT *
    FROM children
    WHERE left_rows >= all_rows // 2 AND left_rows - row_count < all_rows // 2
    AND all_rows // 2 >= $k
)
SELECT
    ties.part,
    ties.dimension,
    ties.low,
    ties.high,
    ties.all_rows // 2 - (ties.left_rows - ties.row_count) AS left_of_tie,
    ties.all_rows AS row_count,
    whole_node.cost AS width,
    ties.all_rows * whole_node.cost
    - (ties.all_rows // 2) * CASE WHEN ties.low = ties.first_position THEN child_node.cost ELSE whole_node.cost END
    - (ties.all_rows - ties.all_rows // 2)
    * CASE WHEN ties.high = ties.last_position THEN child_node.cost ELSE whole_node.cost END AS gain
FROM ties
JOIN ancestors AS whole_node
    ON whole_node.dimension = ties.dimension
    AND whole_node.position = ties.first_position
    AND whole_node.level = ties.level
JOIN ancestors AS child_node
    ON child_node.dimension = ties.dimension
    AND child_node.position = ties.low
    AND child_node.level = ties.level - 1
