-- Answers: the tuples of the rest with each label above them that loses from `low` up to `width` more. A label is its
-- loss and its two half labels, packed into one number that sorts by loss. What the second half loses lies in one of
-- two strips of loss as broad as the window, by which it is looked up.
-- Reads: rest, the tuples without a class (cell, tuple_b, row_count, tuple_a); above_b and above_a, each the half
-- labels of one half above each half tuple (all columns).
-- Takes: $label_shift and $loss_shift, by how many bits the first half label and the loss are shifted; $low, the loss
-- from which labels are offered; $width, how broad the window of losses is.
-- Gives: the table offers (label, cell, row_count).
CREATE OR REPLACE TEMP TABLE offers AS
SELECT
    ((first_half.cost + above_b.cost) << $loss_shift) | (first_half.label << $label_shift) | above_b.label AS label,
    first_half.cell,
    first_half.row_count
FROM (
    SELECT
        rest.cell,
        rest.tuple_b,
        rest.row_count,
        above_a.label,
        above_a.cost,
        ($low - above_a.cost) // $width + strips.step AS strip
    FROM rest
    JOIN (SELECT * FROM above_a WHERE cost < $low + $width) AS above_a ON above_a.tuple = rest.tuple_a
    CROSS JOIN (SELECT unnest([0, 1]) AS step) AS strips
) AS first_half
JOIN (SELECT * FROM above_b WHERE cost < $low + $width) AS above_b
    ON above_b.tuple = first_half.tuple_b AND above_b.cost // $width = first_half.strip
WHERE first_half.cost + above_b.cost >= $low AND first_half.cost + above_b.cost < $low + $width
