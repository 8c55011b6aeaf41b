-- Answers: the frequent facts of persons once more, to be joined with themselves.
-- Reads: frequent (person, fact, worth).
-- Takes: nothing.
-- Gives: the view other (person, fact, worth).
CREATE OR REPLACE TEMP VIEW other AS
SELECT person, fact, worth
FROM frequent
