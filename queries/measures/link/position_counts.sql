-- Answers: how many places match, and the share of all pairs of rows that do: what would be expected of rows in random
-- order.
-- Reads: tuples, the combined tuples with their rows (row_count); combined, the pairs of tuples of both releases with
-- the values that both leave open (right_rows, left_rows).
-- Takes: nothing.
-- Gives: matching, pairs.
SELECT
    (SELECT CAST(coalesce(sum(row_count), 0) AS BIGINT) FROM kanon.tuples) AS matching,
    (SELECT coalesce(sum(CAST(left_rows AS DOUBLE) * right_rows), 0.0) FROM kanon.combined) AS pairs
