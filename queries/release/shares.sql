-- Answers: which of a tuple's rows, counted from 1, each class takes, where several classes share tuples. The smallest
-- number, in no order, stands for the tuple.
-- Reads: assigned, the tuples of each class: part, the positions, row_count.
-- Takes: this_position, the position of a dimension.
-- Gives: the table shares: part, the positions, rows_before, last_row, tuple, sharers.
CREATE OR REPLACE TEMP TABLE kanon.shares AS
SELECT
    part,
    this_position,
    CAST(sum(row_count) OVER in_turn AS BIGINT) - row_count AS rows_before,
    CAST(sum(row_count) OVER in_turn AS BIGINT) AS last_row,
    min(number) OVER same_tuple AS tuple,
    count(*) OVER same_tuple AS sharers
FROM (SELECT *, row_number() OVER () AS number FROM kanon.assigned) AS numbered
WINDOW
    in_turn AS (PARTITION BY LIST_OF(this_position) ORDER BY part ROWS UNBOUNDED PRECEDING),
    same_tuple AS (PARTITION BY LIST_OF(this_position))
