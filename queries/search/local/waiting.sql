-- Answers: the tuples left over, which wait for a class.
-- Reads: rest, the tuples without a class (cell, row_count).
-- Takes: nothing.
-- Gives: the table waiting (cell, row_count).
CREATE OR REPLACE TEMP TABLE waiting AS
SELECT cell, row_count
FROM rest
