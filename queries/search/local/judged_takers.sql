-- The tuples whose choice makes a class that satisfies all models.
CREATE OR REPLACE TEMP TABLE takers AS
SELECT choices.cell, choices.label, choices.row_count
FROM choices
SEMI JOIN (
    SELECT label
    FROM classes
    WHERE NOT violates
) AS winning ON winning.label = choices.label
