-- Answers: the better way with the tuples left over is taken.
-- Reads: better, the way with the tuples left over that loses less (all columns).
-- Takes: nothing.
-- Gives: the table members, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE members AS
SELECT *
FROM better
