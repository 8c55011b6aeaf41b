-- Answers: which half labels stand above which half tuples. What a label is like stands with the labels: these pairs
-- take most of the memory.
-- Reads: half_tuples, the half tuples with one dimension more (tuple, before, this_position); half_above, the half
-- labels above each half tuple (tuple, label); ancestors, the nodes of a dimension above each position (position,
-- number); half_labels, the half labels (label, before, number).
-- Takes: this_position, of each dimension the column of positions.
-- Gives: the table half_above (tuple, label).
CREATE OR REPLACE TEMP TABLE half_above AS
SELECT half_tuples.tuple, half_labels.label
FROM half_tuples
JOIN half_above ON half_above.tuple = half_tuples.before
JOIN ancestors ON ancestors.position = half_tuples.this_position
JOIN half_labels ON half_labels.before = half_above.label AND half_labels.number = ancestors.number
