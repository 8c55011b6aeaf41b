-- Answers: the prices that the program's relaxation gave.
-- Reads: prices, the prices of tuples (cell, row_count, direction, ceiling).
-- Takes: $cells and $prices, as long as each other; $units, how many units a loss of 1 has.
-- Gives: the table prices (cell, row_count, price, direction, ceiling).
CREATE OR REPLACE TEMP TABLE prices AS
SELECT
    prices.cell,
    prices.row_count,
    greatest(0, least(prices.ceiling, round(given.price * $units) / $units)) AS price,
    prices.direction,
    prices.ceiling
FROM prices
JOIN (SELECT unnest($cells) AS cell, unnest($prices) AS price) AS given ON given.cell = prices.cell
