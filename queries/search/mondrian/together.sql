-- Answers: what is the same for all dimensions of a kind, in one table.
-- Reads: parts, the statements of all dimensions, one after another (all columns).
-- Takes: nothing.
-- Gives: the table made, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE made AS
SELECT *
FROM parts
