-- Answers: which half tuples of the second half stand beside a half label of the first, and how much a label with it
-- may lose more: up to the highest ceiling below it.
-- Reads: priced_cells, the distinct tuples by their halves (tuple_a, tuple_b, row_count, cell); above_a, the half
-- labels of one half above each half tuple (tuple, label, cost); prices, the prices of tuples (cell, ceiling).
-- Takes: nothing.
-- Gives: the table half_reach (label, tuple, cost, row_count, room).
CREATE OR REPLACE TEMP TABLE half_reach AS
WITH pairs AS MATERIALIZED (
    SELECT tuple_a, tuple_b, sum(priced_cells.row_count) AS row_count, max(ceiling) AS ceiling
    FROM priced_cells
    JOIN prices ON prices.cell = priced_cells.cell
    GROUP BY tuple_a, tuple_b
),
tops AS (
    SELECT above_a.label, max(pairs.ceiling) - any_value(above_a.cost) AS room
    FROM above_a
    JOIN (SELECT tuple_a, max(ceiling) AS ceiling FROM pairs GROUP BY tuple_a) AS pairs ON pairs.tuple_a = above_a.tuple
    GROUP BY above_a.label
    HAVING room > 0
)
SELECT
    above_a.label,
    pairs.tuple_b AS tuple,
    any_value(above_a.cost) AS cost,
    sum(pairs.row_count) AS row_count,
    any_value(tops.room) AS room
FROM above_a
JOIN tops ON tops.label = above_a.label
JOIN pairs ON pairs.tuple_a = above_a.tuple
GROUP BY above_a.label, pairs.tuple_b
