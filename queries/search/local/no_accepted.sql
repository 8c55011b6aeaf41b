-- Answers: the labels that were accepted of those on offer; none yet.
-- Reads: offers, labels on offer to tuples (label).
-- Takes: nothing.
-- Gives: the table accepted (label).
CREATE OR REPLACE TEMP TABLE accepted AS
SELECT label
FROM offers
WHERE FALSE
