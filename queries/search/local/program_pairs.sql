-- Answers: the labels of the program with the tuples below them, and the prices of these. All tuples fall under the
-- first label.
-- Reads: program (label, cell, row_count, cost); prices, the prices of tuples (cell, price).
-- Takes: nothing.
-- Gives: label, cell, cost, row_count, price.
SELECT program.label, program.cell, program.cost, program.row_count, prices.price
FROM program
JOIN prices ON prices.cell = program.cell
ORDER BY program.label, program.cell
