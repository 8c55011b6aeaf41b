-- Answers: the tuples that took a label; none yet.
-- Reads: rest, the tuples without a class (cell, row_count); above_a, the half labels of one half above each half tuple
-- (label).
-- Takes: nothing.
-- Gives: the table taken (cell, label, row_count).
CREATE OR REPLACE TEMP TABLE taken AS
SELECT rest.cell, above_a.label, rest.row_count
FROM rest
CROSS JOIN above_a
WHERE FALSE
