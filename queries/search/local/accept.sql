-- Answers: their labels are accepted: tuples that they are the cheapest for later on may take them, however few.
-- Reads: takers, the tuples whose label is accepted (label); accepted, the labels that were accepted (label).
-- Takes: nothing.
-- Gives: further rows of the table accepted (label).
INSERT INTO accepted
SELECT DISTINCT takers.label
FROM takers
ANTI JOIN accepted ON accepted.label = takers.label
