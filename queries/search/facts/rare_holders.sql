-- Answers: whose facts are kept by fewer than k persons: they are suppressed.
-- Reads: kept, the facts that are kept of each person (person, fact); support, of each fact how many keep it (fact,
-- persons).
-- Takes: $k.
-- Gives: the table victims (person, fact).
CREATE OR REPLACE TEMP TABLE victims AS
SELECT kept.person, kept.fact
FROM kept
JOIN support ON support.fact = kept.fact
WHERE support.persons < $k
