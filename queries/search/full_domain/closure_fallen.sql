-- Answers: which rows fall in one round?
-- Reads: small, the rows that lie in combinations that stand for too few (place); they may be there several times.
-- Takes: nothing but what small asks for.
-- Gives: the table fallen (place).
CREATE OR REPLACE TEMP TABLE kanon.fallen AS
SELECT DISTINCT place
FROM small
