-- Answers: the classes that these choices make, with what took their labels before.
-- Reads: choices, the tuples with the label that they choose (cell, label, row_count); taken, the tuples that took a
-- label (cell, label, row_count).
-- Takes: nothing.
-- Gives: the table choices_with_taken (cell, label, row_count).
CREATE OR REPLACE TEMP TABLE choices_with_taken AS
SELECT cell, label, row_count
FROM choices
UNION ALL
SELECT taken.cell, taken.label, taken.row_count
FROM taken
SEMI JOIN choices ON choices.label = taken.label
