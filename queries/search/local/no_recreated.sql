-- Answers: the tuples of new classes in zones; none yet.
-- Reads: zone_offers, labels on offer to tuples of zones (zone, label, cell, row_count, cost).
-- Takes: nothing.
-- Gives: the table recreated (zone, label, cell, row_count, loss, is_lent).
CREATE OR REPLACE TEMP TABLE recreated AS
SELECT zone, label, cell, row_count, cost AS loss, FALSE AS is_lent
FROM zone_offers
WHERE FALSE
