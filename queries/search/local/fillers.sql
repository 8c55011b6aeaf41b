-- Answers: the tuples that can lend rows to these labels, of each as many as make k rows, and what they cost. Half
-- labels that are far dearer than most labels are left out, which too many tuples stand below.
-- Reads: near_pairs, the tuples with labels above them (label, cost); spare, the rows that classes can lend (cell,
-- cost, row_count); cell_halves, the tuples by their halves (cell, tuple_a, tuple_b); above_a and above_b, each the
-- half labels of one half above each half tuple (tuple, label, cost).
-- Takes: $k, the fewest rows of a class; $label_shift, by how many bits the first half label is shifted; $scale, the
-- whole number that a loss of 1 is.
-- Gives: further rows of the table near_pairs (label, cell, cost).
INSERT INTO near_pairs
WITH labels AS MATERIALIZED (
    SELECT DISTINCT label, cost, label >> $label_shift AS half_a, label & ((1 << $label_shift) - 1) AS half_b
    FROM near_pairs
),
dearest AS MATERIALIZED (
    SELECT quantile_disc(cost, 0.95) * $scale AS most
    FROM labels
),
lending AS (
    SELECT spare.cell, spare.cost, spare.row_count, cell_halves.tuple_b, above_a.label AS half_a
    FROM spare
    JOIN cell_halves ON cell_halves.cell = spare.cell
    JOIN above_a ON above_a.tuple = cell_halves.tuple_a
    SEMI JOIN labels AS first_of ON first_of.half_a = above_a.label
    SEMI JOIN dearest ON above_a.cost <= dearest.most
    WHERE spare.row_count > 0
),
lent_to AS (
    SELECT above_b.tuple, above_b.label AS half_b
    FROM above_b
    SEMI JOIN labels AS second_of ON second_of.half_b = above_b.label
    SEMI JOIN dearest ON above_b.cost <= dearest.most
)
SELECT labels.label, lending.cell, labels.cost
FROM lending
JOIN lent_to ON lent_to.tuple = lending.tuple_b
JOIN labels ON labels.half_a = lending.half_a AND labels.half_b = lent_to.half_b
WINDOW cheapest_first AS (
    PARTITION BY labels.label
    ORDER BY labels.cost - lending.cost, lending.row_count DESC, lending.cell
    ROWS UNBOUNDED PRECEDING
)
QUALIFY sum(least(lending.row_count, $k)) OVER cheapest_first - least(lending.row_count, $k) < 2 * $k
