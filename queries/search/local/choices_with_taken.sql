-- The classes that these choices make, with what took their labels before.
CREATE OR REPLACE TEMP TABLE choices_with_taken AS
SELECT cell, label, row_count
FROM choices
UNION ALL
SELECT taken.cell, taken.label, taken.row_count
FROM taken
SEMI JOIN choices ON choices.label = taken.label
