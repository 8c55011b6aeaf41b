-- Answers: prices between those that prove most and new ones, which were improved by few labels.
-- Reads: prices, the new prices of tuples (cell, row_count, price, direction, ceiling); proving_prices, those that
-- prove most (price, cell).
-- Takes: $share, which part of the way is gone; $units, how many units a loss of 1 has.
-- Gives: the table prices (cell, row_count, price, direction, ceiling).
CREATE OR REPLACE TEMP TABLE prices AS
SELECT
    prices.cell,
    prices.row_count,
    round((prices.price * $share + proving_prices.price * (1 - $share)) * $units) / $units AS price,
    prices.direction,
    prices.ceiling
FROM prices
JOIN proving_prices ON proving_prices.cell = prices.cell
