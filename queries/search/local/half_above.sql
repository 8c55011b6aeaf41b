-- Which half labels stand above which half tuples.
CREATE OR REPLACE TEMP TABLE half_above AS
SELECT half_next.tuple, half_labels.label, half_labels.shape, half_labels.height, half_labels.cost
FROM half_next
JOIN half_above ON half_above.tuple = half_next.before
JOIN ancestors ON ancestors.position = half_next.this_position
JOIN half_labels ON half_labels.before = half_above.label AND half_labels.number = ancestors.number
