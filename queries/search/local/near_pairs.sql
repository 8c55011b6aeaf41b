-- Answers: the tuples of classes of several with the labels above them that could lose less than their class, were the
-- rows that they lack for k lent.
-- Reads: standing, the tuples of each class with what the class loses (cell, row_count, cost, is_alone); cell_halves,
-- the tuples by their halves (cell, tuple_a, tuple_b); above_a and above_b, each the half labels of one half above each
-- half tuple (tuple, label, cost).
-- Takes: $k, the fewest rows of a class; $label_shift, by how many bits the first half label is shifted; $scale, the
-- whole number that a loss of 1 is.
-- Gives: the table near_pairs (label, cell, cost).
CREATE OR REPLACE TEMP TABLE near_pairs AS
WITH dear AS MATERIALIZED (
    SELECT
        cell_halves.cell,
        any_value(cell_halves.tuple_a) AS tuple_a,
        any_value(cell_halves.tuple_b) AS tuple_b,
        sum(standing.row_count) AS row_count,
        ceil(max(standing.cost) * $scale) AS most
    FROM standing
    JOIN cell_halves ON cell_halves.cell = standing.cell
    WHERE NOT standing.is_alone
    GROUP BY cell_halves.cell
),
first_half AS (
    SELECT dear.cell, dear.row_count, dear.most, above_a.label, above_a.cost
    FROM dear
    JOIN above_a ON above_a.tuple = dear.tuple_a
    WHERE above_a.cost <= dear.most
),
second_half AS (
    SELECT dear.cell, above_b.label, above_b.cost
    FROM dear
    JOIN above_b ON above_b.tuple = dear.tuple_b
    WHERE above_b.cost <= dear.most
),
pairs AS (
    SELECT
        (first_half.label << $label_shift) | second_half.label AS label,
        first_half.cell,
        first_half.row_count,
        first_half.cost + second_half.cost AS cost,
        first_half.most
    FROM first_half
    JOIN second_half ON second_half.cell = first_half.cell
    WHERE first_half.cost + second_half.cost <= first_half.most
)
SELECT pairs.label, pairs.cell, pairs.cost / $scale AS cost
FROM pairs
JOIN (
    SELECT label, sum(row_count) AS below
    FROM pairs
    GROUP BY label
) AS labels ON labels.label = pairs.label
WHERE pairs.cost * greatest(1, $k / labels.below) <= pairs.most
