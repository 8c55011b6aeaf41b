-- Answers: all tuples below near labels, those first that gain most, and the rows before them. Tuples are looked up of
-- the labels worth least that are to become active, and of those that prove more if what they are worth is known
-- exactly.
-- Reads: near_labels, the labels that could be worth taking (label, label_a, label_b, cost, value, is_known); active,
-- the labels by which prices are improved (label); priced_cells, the distinct tuples by their halves (cell, row_count,
-- tuple_b, tuple_a); prices, the prices of tuples (cell, price); above_a and above_b, each the half labels of one half
-- above each half tuple (tuple, label).
-- Takes: $labels, how many become active at most; $all_labels, whether all near labels are looked up.
-- Gives: the table covers (label, cell, row_count, cost, reduced, rows_before).
CREATE OR REPLACE TEMP TABLE covers AS
WITH further AS (
    SELECT near_labels.label
    FROM near_labels
    ANTI JOIN active ON active.label = near_labels.label
    WHERE near_labels.is_known OR near_labels.value < 0
    ORDER BY near_labels.value, near_labels.label
    LIMIT $labels
),
covered AS MATERIALIZED (
    SELECT label, label_a, label_b, cost
    FROM near_labels
    WHERE $all_labels OR (value < 0 AND NOT is_known) OR label IN (SELECT label FROM further)
),
first_half AS (
    SELECT
        priced_cells.cell,
        CAST(priced_cells.row_count AS BIGINT) AS row_count,
        priced_cells.tuple_b,
        prices.price,
        above_a.label
    FROM priced_cells
    JOIN prices ON prices.cell = priced_cells.cell
    JOIN above_a ON above_a.tuple = priced_cells.tuple_a
    SEMI JOIN covered ON covered.label_a = above_a.label
),
pairs AS (
    SELECT
        covered.label,
        first_half.cell,
        first_half.row_count,
        covered.cost,
        covered.cost - first_half.price AS reduced
    FROM first_half
    JOIN above_b ON above_b.tuple = first_half.tuple_b
    JOIN covered ON covered.label_a = first_half.label AND covered.label_b = above_b.label
)
SELECT
    *,
    sum(row_count) OVER (PARTITION BY label ORDER BY reduced, cell ROWS UNBOUNDED PRECEDING) - row_count AS rows_before
FROM pairs
