-- Answers: the active labels that are worth taking.
-- Reads: filled, the active labels with their tuples (label, cell, cost, row_count, needed); prices, the prices of
-- tuples (price, cell).
-- Takes: nothing.
-- Gives: the table opened (label, value).
CREATE OR REPLACE TEMP TABLE opened AS
SELECT
    filled.label,
    sum(
        CASE WHEN filled.cost < prices.price THEN filled.row_count ELSE filled.needed END * (filled.cost - prices.price)
    ) AS value
FROM filled
JOIN prices ON prices.cell = filled.cell
GROUP BY filled.label
HAVING value < -1e-12
