-- Answers: a first price for each tuple: what its dearest class loses. No price goes above its ceiling.
-- Reads: cells, the distinct tuples, numbered (cell, row_count); members, the tuples of each class (cell, part);
-- class_costs, the classes with what they lose (part, cost).
-- Takes: $cap, the highest ceiling; $least, by which a ceiling is above a price at least; $units, how many units a loss
-- of 1 has.
-- Gives: the table prices (cell, row_count, price, direction, ceiling).
CREATE OR REPLACE TEMP TABLE prices AS
SELECT
    cells.cell,
    CAST(cells.row_count AS DOUBLE) AS row_count,
    floor(least(CAST($cap AS DOUBLE), max(class_costs.cost)) * $units) / $units AS price,
    CAST(0 AS DOUBLE) AS direction,
    floor(least(CAST($cap AS DOUBLE), 1.5 * max(class_costs.cost) + CAST($least AS DOUBLE)) * $units) / $units AS ceiling
FROM cells
JOIN members ON members.cell = cells.cell
JOIN class_costs ON class_costs.part = members.part
GROUP BY cells.cell, cells.row_count
