-- Answers: the classes as they are released: a label for each dimension, and its loss. It is asked about a few
-- dimensions at a time, and adds them to those before.
-- Reads: labelled, the classes with what they show of the dimensions before, or of none (part, row_count, known_name);
-- this_labels, of each dimension the labels of the classes (cost, part).
-- Takes: known_name, the columns of the dimensions before; out_label, of each column of labels or bounds its value;
-- out_name, of each column of labels or bounds its name; this_cost, of each dimension the column of losses.
-- Gives: the table released_classes (part, row_count, known_name, out_name, this_cost).
CREATE OR REPLACE TEMP TABLE kanon.released_classes AS
SELECT
    labelled.part,
    labelled.row_count,
    labelled.known_name,
    out_label AS out_name,
    this_labels.cost AS this_cost
FROM labelled
JOIN this_labels ON this_labels.part = labelled.part
