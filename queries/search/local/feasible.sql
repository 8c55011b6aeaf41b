-- Answers: the labels that enough rows fall under and that may lose less than the highest ceiling of a tuple below
-- their first half.
-- Reads: priced_cells, the distinct tuples by their halves (tuple_a, tuple_b, row_count, cell); above_a and above_b,
-- each the half labels of one half above each half tuple (tuple, label, cost); prices, the prices of tuples (cell,
-- ceiling).
-- Takes: $label_shift, by how many bits the first half label is shifted; $k, the fewest rows of a class.
-- Gives: the table feasible (label, cost).
CREATE OR REPLACE TEMP TABLE feasible AS
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
),
half_reach AS MATERIALIZED (
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
)
SELECT
    (CAST(half_reach.label AS BIGINT) << $label_shift) | above_b.label AS label,
    any_value(half_reach.cost + above_b.cost) AS cost
FROM half_reach
JOIN above_b ON above_b.tuple = half_reach.tuple
WHERE above_b.cost < half_reach.room
GROUP BY (CAST(half_reach.label AS BIGINT) << $label_shift) | above_b.label
HAVING sum(half_reach.row_count) >= $k
