-- Answers: the rows that each active label would take, and what that is worth.
-- Reads: filled, the active labels with their tuples (label, cell, cost, row_count, needed); prices, the prices of
-- tuples (price, cell).
-- Takes: nothing.
-- Gives: the table wanted (label, cell, row_count, value).
CREATE OR REPLACE TEMP TABLE wanted AS
SELECT
    filled.label,
    filled.cell,
    CASE WHEN filled.cost < prices.price THEN filled.row_count ELSE filled.needed END AS row_count,
    CASE WHEN filled.cost < prices.price THEN filled.row_count ELSE filled.needed END * (filled.cost - prices.price)
        AS value
FROM filled
JOIN prices ON prices.cell = filled.cell
