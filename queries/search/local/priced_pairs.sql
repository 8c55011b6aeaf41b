-- Answers: the tuples with each label above them that loses less than their price and a margin.
-- Reads: priced_cells, the distinct tuples by their halves (cell, row_count, tuple_a, tuple_b); prices, the prices of
-- tuples (cell, price); above_a and above_b, each the half labels of one half above each half tuple (tuple, label,
-- cost); feasible, the labels that enough rows fall under (label, cost).
-- Takes: $label_shift, by how many bits the first half label is shifted; $margin.
-- Gives: the table priced_pairs (label, cell, row_count, cost, reduced).
CREATE OR REPLACE TEMP TABLE priced_pairs AS
SELECT pairs.label, pairs.cell, pairs.row_count, feasible.cost, feasible.cost - pairs.price AS reduced
FROM (
    SELECT
        (CAST(first_half.label AS BIGINT) << $label_shift) | above_b.label AS label,
        first_half.cell,
        first_half.row_count,
        first_half.price
    FROM (
        SELECT
            priced_cells.cell,
            priced_cells.row_count,
            priced_cells.tuple_b,
            prices.price,
            above_a.label,
            prices.price + $margin - above_a.cost AS room
        FROM priced_cells
        JOIN prices ON prices.cell = priced_cells.cell
        JOIN above_a ON above_a.tuple = priced_cells.tuple_a
        WHERE above_a.cost < prices.price + $margin
    ) AS first_half
    JOIN above_b ON above_b.tuple = first_half.tuple_b
    WHERE above_b.cost < first_half.room
) AS pairs
JOIN feasible ON feasible.label = pairs.label
