-- Answers: these labels become classes, or get more rows.
-- Reads: zone_made, the rows of labels (zone, label, cell, row_count, loss, is_lent).
-- Takes: nothing.
-- Gives: further rows of the table recreated (zone, label, cell, row_count, loss, is_lent).
INSERT INTO recreated
SELECT zone, label, cell, row_count, loss, is_lent
FROM zone_made
