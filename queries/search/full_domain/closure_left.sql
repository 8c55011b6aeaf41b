-- Answers: which rows are left once some fell?
-- Reads: kept, the rows that were left (place); fallen, those of them that fell (place).
-- Takes: nothing.
-- Gives: the table kept, without them.
CREATE OR REPLACE TEMP TABLE kanon.kept AS
SELECT *
FROM kanon.kept
ANTI JOIN kanon.fallen ON fallen.place = kept.place
