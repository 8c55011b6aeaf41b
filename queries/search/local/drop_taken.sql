-- Answers: the tuples that still have no class.
-- Reads: rest, the tuples without a class (all columns); taken, the tuples that took a label (cell).
-- Takes: nothing.
-- Gives: the table rest, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE rest AS
SELECT rest.*
FROM rest
ANTI JOIN taken ON taken.cell = rest.cell
