-- Answers: the active labels that are worth taking, or nearly so, with the rows of each tuple that they need to come to
-- k, at the prices there are. Tuples that are not needed and lose clearly more than their price do not matter now.
-- Reads: active, the labels with their tuples (label, cell, row_count, cost); prices, the prices of tuples (cell,
-- price).
-- Takes: $k, the fewest rows of a class; $near, what a label is worth at most; $margin, by which a tuple may lose more
-- than its price.
-- Gives: the table filled (label, cell, row_count, cost, needed).
CREATE OR REPLACE TEMP TABLE filled AS
WITH ordered AS (
    SELECT
        active.label,
        active.cell,
        active.row_count,
        active.cost,
        active.cost - prices.price AS reduced,
        sum(active.row_count) OVER (
            PARTITION BY active.label ORDER BY prices.price DESC, active.cell ROWS UNBOUNDED PRECEDING
        ) - active.row_count AS rows_before
    FROM active
    JOIN prices ON prices.cell = active.cell
),
needing AS MATERIALIZED (
    SELECT label, cell, row_count, cost, reduced, greatest(0, least(row_count, $k - rows_before)) AS needed
    FROM ordered
    WHERE rows_before < $k OR reduced < $margin
),
near AS (
    SELECT label
    FROM needing
    GROUP BY label
    HAVING sum(CASE WHEN reduced < 0 THEN row_count ELSE needed END * reduced) < $near
)
SELECT needing.label, needing.cell, needing.row_count, needing.cost, CAST(needing.needed AS BIGINT) AS needed
FROM needing
SEMI JOIN near ON near.label = needing.label
