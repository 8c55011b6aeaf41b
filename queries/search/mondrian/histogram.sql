-- Answers: how many rows of each open partition hold each value of each dimension, in order, with running numbers and
-- sums over all of them: one sort serves all partitions. A dimension along which an ancestor could not be cut is left
-- out. The breadth of a text dimension goes by its values that are there, that of numbers and dates by where they lie.
-- Reads: histograms, the rows of each partition at each position of each dimension, in no order (part, dimension,
-- position, row_count); ordered_places, where the positions of ordered dimensions lie (measure, step, dimension,
-- position).
-- Takes: nothing.
-- Gives: the table histogram (part, dimension, position, row_count, rows_so_far, next_position, next_row_count,
-- measure, breadth, next_breadth).
CREATE OR REPLACE TEMP TABLE histogram AS
SELECT
    histograms.part,
    histograms.dimension,
    histograms.position,
    histograms.row_count,
    CAST(sum(histograms.row_count) OVER in_order AS BIGINT) AS rows_so_far,
    lead(histograms.position) OVER in_order AS next_position,
    lead(histograms.row_count) OVER in_order AS next_row_count,
    ordered_places.measure,
    coalesce(row_number() OVER in_order * ordered_places.step, ordered_places.measure) AS breadth,
    coalesce(
        (row_number() OVER in_order + 1) * ordered_places.step,
        lead(ordered_places.measure) OVER in_order
    ) AS next_breadth
FROM histograms
LEFT JOIN ordered_places
    ON ordered_places.dimension = histograms.dimension AND ordered_places.position = histograms.position
WINDOW in_order AS (
    ORDER BY histograms.part, histograms.dimension, histograms.position ROWS UNBOUNDED PRECEDING
)
