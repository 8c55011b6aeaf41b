-- Answers: what all rows lose at least together by these prices.
-- Reads: prices, the prices of tuples (row_count, price); label_values, what labels are worth, all labels or the active
-- ones (value).
-- Takes: nothing.
-- Gives: bound.
SELECT
    (SELECT sum(row_count * price) FROM prices) + (SELECT coalesce(sum(least(value, 0)), 0) FROM label_values) AS bound
