-- Answers: all tuples below these labels, those first that gain most, and the rows before them.
-- Reads: priced_cells, the distinct tuples by their halves (cell, row_count, tuple_b, tuple_a); prices, the prices of
-- tuples (cell, price); above_a and above_b, each the half labels of one half above each half tuple (tuple, label);
-- covered, the labels that are looked up (label, label_a, label_b, cost).
-- Takes: nothing.
-- Gives: the table covers (label, cell, row_count, cost, reduced, rows_before).
CREATE OR REPLACE TEMP TABLE covers AS
SELECT
    *,
    sum(row_count) OVER (PARTITION BY label ORDER BY reduced, cell ROWS UNBOUNDED PRECEDING) - row_count AS rows_before
FROM (
    SELECT
        covered.label,
        first_half.cell,
        first_half.row_count,
        covered.cost,
        covered.cost - first_half.price AS reduced
    FROM (
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
    ) AS first_half
    JOIN above_b ON above_b.tuple = first_half.tuple_b
    JOIN covered ON covered.label_a = first_half.label AND covered.label_b = above_b.label
) AS pairs
