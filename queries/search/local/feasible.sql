-- Answers: the labels that enough rows fall under and that may lose less than the price of a tuple below them.
-- Reads: half_reach, half tuples of the second half beside half labels of the first (label, tuple, cost, row_count,
-- room); above_b, the half labels of the second half above each half tuple (label, tuple, cost).
-- Takes: $label_shift, by how many bits the first half label is shifted; $k, the fewest rows of a class.
-- Gives: the table feasible (label, cost).
CREATE OR REPLACE TEMP TABLE feasible AS
SELECT
    (CAST(half_reach.label AS BIGINT) << $label_shift) | above_b.label AS label,
    any_value(half_reach.cost + above_b.cost) AS cost
FROM half_reach
JOIN above_b ON above_b.tuple = half_reach.tuple
WHERE above_b.cost < half_reach.room
GROUP BY (CAST(half_reach.label AS BIGINT) << $label_shift) | above_b.label
HAVING sum(half_reach.row_count) >= $k
