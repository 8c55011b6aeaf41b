-- Answers: the active labels with the rows of each tuple that they need to come to k, at the prices there are.
-- Reads: active, the labels with their tuples (label, cell, row_count, cost); prices, the prices of tuples (cell,
-- price).
-- Takes: $k, the fewest rows of a class.
-- Gives: the table filled (label, cell, row_count, cost, needed).
CREATE OR REPLACE TEMP TABLE filled AS
SELECT label, cell, row_count, cost, greatest(0, least(row_count, $k - rows_before)) AS needed
FROM (
    SELECT
        active.*,
        sum(active.row_count) OVER (
            PARTITION BY active.label ORDER BY prices.price DESC, active.cell ROWS UNBOUNDED PRECEDING
        ) - active.row_count AS rows_before
    FROM active
    JOIN prices ON prices.cell = active.cell
) AS ordered
