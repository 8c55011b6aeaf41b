-- The classes as they are released: a label for each dimension, and its loss.
CREATE OR REPLACE TEMP TABLE released_classes AS
SELECT
    classes.part,
    classes.row_count,
    out_label AS out_name,
    this_labels.cost AS this_cost
FROM classes
JOIN this_labels ON this_labels.part = classes.part
