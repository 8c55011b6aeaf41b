-- Answers: how many rows of each open partition hold each value of each dimension, in order, with running numbers and
-- sums: over all of them where one sort serves all partitions, over each partition where several machines sort; who
-- reads them takes differences within a partition and a dimension. A dimension along which an ancestor could not be cut
-- is left out. It is the widest work of a round: whatever follows from a position alone is joined later, to fewer rows.
-- Reads: histograms, the rows of each partition at each position of each dimension, in no order (part, dimension,
-- position, row_count).
-- Takes: sorted_apart, what the partitions that are sorted together share.
-- Gives: the table histogram (part, dimension, position, row_count, rows_so_far, number, next_position,
-- next_row_count).
CREATE OR REPLACE TEMP TABLE histogram AS
SELECT
    part,
    dimension,
    position,
    row_count,
    CAST(sum(row_count) OVER in_order AS BIGINT) AS rows_so_far,
    row_number() OVER in_order AS number,
    lead(position) OVER in_order AS next_position,
    lead(row_count) OVER in_order AS next_row_count
FROM histograms
WINDOW in_order AS (
    PARTITION BY sorted_apart ORDER BY part, dimension, position ROWS UNBOUNDED PRECEDING
)
