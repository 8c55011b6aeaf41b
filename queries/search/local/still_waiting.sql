-- Answers: the tuples that still wait.
-- Reads: waiting, the tuples that wait for a class (all columns); joined, the classes with the tuples that joined them
-- (cell).
-- Takes: nothing.
-- Gives: the table waiting, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE waiting AS
SELECT waiting.*
FROM waiting
ANTI JOIN joined ON joined.cell = waiting.cell
