-- Answers: labels whose rows are there, lent ones too, become classes.
-- Reads: zone_takers, the tuples that take labels of zones (zone, label, cell, row_count, cost); zone_borrowed, the
-- rows that these labels borrow (zone, label, cell, row_count, added, is_refused).
-- Takes: nothing.
-- Gives: further rows of the table recreated (zone, label, cell, row_count, loss, is_lent).
INSERT INTO recreated
SELECT zone_takers.zone, zone_takers.label, zone_takers.cell, zone_takers.row_count, zone_takers.cost, FALSE AS is_lent
FROM zone_takers
ANTI JOIN (SELECT zone, label FROM zone_borrowed WHERE is_refused) AS refused
    ON refused.zone = zone_takers.zone AND refused.label = zone_takers.label
UNION ALL
SELECT zone, label, cell, row_count, added, TRUE
FROM zone_borrowed
WHERE NOT is_refused
