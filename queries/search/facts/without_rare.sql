-- Answers: the facts that are kept, without those that fewer than k persons have.
-- Reads: kept, the facts that are kept of each person (person, fact, worth); support, of each fact how many have it
-- (fact, persons).
-- Takes: $k.
-- Gives: the table frequent (person, fact, worth).
CREATE OR REPLACE TEMP TABLE frequent AS
SELECT kept.person, kept.fact, kept.worth
FROM kept
JOIN support ON support.fact = kept.fact
WHERE support.persons >= $k
