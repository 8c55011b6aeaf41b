-- Answers: the facts that are kept, for one more fact of a set: a view of its own for each, so that they can be
-- joined.
-- Reads: kept, the facts that are kept of each person (person, fact, worth).
-- Takes: nothing.
-- Gives: the view member (person, fact, worth).
CREATE OR REPLACE TEMP VIEW member AS
SELECT person, fact, worth
FROM kept
