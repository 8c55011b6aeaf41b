-- Answers: these rows are placed.
-- Reads: label_takes, the rows that labels take (zone, label, cell, row_count, cost).
-- Takes: nothing.
-- Gives: further rows of the table label_made (zone, label, cell, row_count, cost).
INSERT INTO label_made
SELECT zone, label, cell, row_count, cost
FROM label_takes
