-- Answers: prices between that of the cheapest label that enough rows fall under, and those there are.
-- Reads: prices, the prices of tuples (cell, row_count, price, ceiling, direction); priced_pairs, the tuples with the
-- labels below their prices (cost, cell).
-- Takes: $share, which part of the way is gone; $units, how many units a loss of 1 has.
-- Gives: the table prices (cell, row_count, price, direction, ceiling).
CREATE OR REPLACE TEMP TABLE prices AS
SELECT
    prices.cell,
    any_value(prices.row_count) AS row_count,
    coalesce(
        round((min(priced_pairs.cost) * (1 - $share) + any_value(prices.price) * $share) * $units) / $units,
        any_value(prices.price)
    ) AS price,
    any_value(prices.direction) AS direction,
    any_value(prices.ceiling) AS ceiling
FROM prices
LEFT JOIN priced_pairs ON priced_pairs.cell = prices.cell
GROUP BY prices.cell
