-- Answers: the labels of the program with the tuples below them.
-- Reads: program (label, cell, cost).
-- Takes: nothing.
-- Gives: label, cell, cost.
SELECT label, cell, cost
FROM program
ORDER BY label, cell
