-- Answers: along hierarchies: each subtree inside a partition that can be set apart from the rest, which keeps the
-- first and the last leaf and with them its lowest common ancestor. (A subtree at either end is a cut between
-- neighbours.)
-- Reads: spans, the ends of each partition along each dimension (row_count, part, dimension, first_position,
-- last_position); trees, the shifts of each hierarchy (dimension, min_level); ancestors, the nodes above each leaf
-- (cost, level, dimension, position, node, shift); histogram, the rows of each partition at each position of a
-- dimension (part, dimension, position, row_count).
-- Takes: level_shift, of each level the column of its shift in trees and the shift; $k, the fewest rows of a class.
-- Gives: further rows of the table allowable_cuts (part, dimension, low, high, left_rows, row_count, width, gain,
-- preference).
INSERT INTO allowable_cuts
SELECT
    inside.part,
    inside.dimension,
    inside.node << inside.shift AS low,
    ((inside.node + 1) << inside.shift) - 1 AS high,
    inside.left_rows,
    spans.row_count,
    whole_node.cost AS width,
    inside.left_rows * (whole_node.cost - inside.cost) AS gain,
    0 AS preference
FROM (
    SELECT
        histogram.part,
        histogram.dimension,
        ancestors.node,
        ancestors.shift,
        any_value(ancestors.cost) AS cost,
        min(histogram.position) AS first_position,
        max(histogram.position) AS last_position,
        CAST(sum(histogram.row_count) AS BIGINT) AS left_rows
    FROM histogram
    JOIN ancestors ON ancestors.dimension = histogram.dimension AND ancestors.position = histogram.position
    GROUP BY histogram.part, histogram.dimension, ancestors.node, ancestors.shift
) AS inside
JOIN spans ON spans.part = inside.part AND spans.dimension = inside.dimension
JOIN trees ON trees.dimension = inside.dimension
JOIN ancestors AS whole_node
    ON whole_node.dimension = inside.dimension
    AND whole_node.position = spans.first_position
    AND whole_node.level = greatest(
        trees.min_level,
        SUM_OF(CASE WHEN (spans.first_position >> trees.level_shift) <> (spans.last_position >> trees.level_shift) THEN 1 ELSE 0 END)
    )
WHERE
    inside.first_position > spans.first_position
    AND inside.last_position < spans.last_position
    AND inside.left_rows >= $k
    AND spans.row_count - inside.left_rows >= $k
