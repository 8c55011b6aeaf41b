-- Answers: what zones give up: the rows of each tuple, which of them go back to a class of their tuple alone, the most
-- that one lost, and its price, which chance raises or lowers.
-- Reads: standing, the tuples of each class with what the class loses (part, cell, row_count, cost); zones, the zones
-- of classes (part, zone); prices, the prices of tuples (cell, price); spare, the classes of one tuple (part, cell).
-- Takes: $noise, the share by which a price changes at most; $seed, a number for what chance decides.
-- Gives: the table freed (zone, cell, row_count, most, home, price).
CREATE OR REPLACE TEMP TABLE freed AS
SELECT
    zones.zone,
    standing.cell,
    CAST(sum(standing.row_count) AS BIGINT) AS row_count,
    max(standing.cost) AS most,
    any_value(spare.part) AS home,
    coalesce(any_value(prices.price), 0) * (1 + $noise * (hash(standing.cell + $seed) % 1000 / 500 - 1)) AS price
FROM standing
JOIN zones ON zones.part = standing.part
LEFT JOIN prices ON prices.cell = standing.cell
LEFT JOIN spare ON spare.cell = standing.cell
GROUP BY zones.zone, standing.cell
