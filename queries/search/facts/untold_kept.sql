-- Answers: which facts that are kept no released row would tell: they are suppressed.
-- Reads: kept, the facts that are kept of each person, and untold_facts, those that no released row would tell (person,
-- fact).
-- Takes: nothing.
-- Gives: the table victims (person, fact).
CREATE OR REPLACE TEMP TABLE victims AS
SELECT kept.person, kept.fact
FROM kept
JOIN untold_facts ON untold_facts.person = kept.person AND untold_facts.fact = kept.fact
