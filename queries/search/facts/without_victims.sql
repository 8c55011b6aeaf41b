-- Answers: the facts that are kept, without those that are suppressed next.
-- Reads: kept, the facts that are kept of each person (person, fact, worth); victims, the fact of a person to suppress
-- (person, fact).
-- Takes: nothing.
-- Gives: the table remaining (person, fact, worth).
CREATE OR REPLACE TEMP TABLE remaining AS
SELECT kept.person, kept.fact, kept.worth
FROM kept
ANTI JOIN victims ON victims.person = kept.person AND victims.fact = kept.fact
