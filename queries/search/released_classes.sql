-- Answers: the classes as they are released: a label for each dimension, and its loss.
-- Reads: classes, the classes by the least and the greatest position of each dimension (part, row_count); this_labels,
-- of each dimension the labels of the classes (cost, part).
-- Takes: out_label, of each column of labels or bounds its value; out_name, of each column of labels or bounds its
-- name; this_cost, of each dimension the column of losses.
-- Gives: the table released_classes (part, row_count, out_name, this_cost).
CREATE OR REPLACE TEMP TABLE released_classes AS
SELECT
    classes.part,
    classes.row_count,
    out_label AS out_name,
    this_labels.cost AS this_cost
FROM classes
JOIN this_labels ON this_labels.part = classes.part
