-- Answers: what all rows would lose at least by these prices if there were no labels but the active ones.
-- Reads: prices, the prices of tuples (row_count, price); opened, the labels that are worth taking (value).
-- Takes: nothing.
-- Gives: bound.
SELECT (SELECT sum(row_count * price) FROM prices) + (SELECT coalesce(sum(value), 0) FROM opened) AS bound
