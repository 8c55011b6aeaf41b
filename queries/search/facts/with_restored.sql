-- Answers: the facts that are kept, and those that can be kept after all.
-- Reads: kept, the facts that are kept of each person (person, fact, worth); restorable, one more of some persons
-- (person, fact, worth).
-- Takes: nothing.
-- Gives: more rows of the table kept.
INSERT INTO kept
SELECT person, fact, worth
FROM restorable
