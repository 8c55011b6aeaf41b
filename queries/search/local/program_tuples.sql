-- Answers: the tuples with their rows and prices.
-- Reads: prices, the prices of tuples (cell, row_count, price).
-- Takes: nothing.
-- Gives: cell, row_count, price.
SELECT cell, row_count, price
FROM prices
ORDER BY cell
