-- Answers: the rows that zones placed; none yet.
-- Reads: label_offers, labels on offer to rows of zones (zone, label, cell, row_count, cost).
-- Takes: nothing.
-- Gives: the table label_made (zone, label, cell, row_count, cost).
CREATE OR REPLACE TEMP TABLE label_made AS
SELECT zone, label, cell, row_count, cost
FROM label_offers
WHERE FALSE
