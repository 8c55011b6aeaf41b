-- Answers: they are released under that label.
-- Reads: takers, the tuples whose label is accepted (cell, label, row_count).
-- Takes: nothing.
-- Gives: further rows of the table taken (cell, label, row_count).
INSERT INTO taken
SELECT cell, label, row_count
FROM takers
