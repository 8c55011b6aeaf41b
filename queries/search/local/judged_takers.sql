-- Answers: the tuples whose choice makes a class that satisfies all models.
-- Reads: choices, the tuples with the label that they choose (cell, label, row_count); classes, the classes that the
-- choices make, judged by the models (label, violates).
-- Takes: nothing.
-- Gives: the table takers (cell, label, row_count).
CREATE OR REPLACE TEMP TABLE takers AS
SELECT choices.cell, choices.label, choices.row_count
FROM choices
SEMI JOIN (
    SELECT label
    FROM classes
    WHERE NOT violates
) AS winning ON winning.label = choices.label
