-- Answers: the labels on offer to tuples of zones that have no class yet.
-- Reads: zone_offers, labels on offer to tuples of zones (all columns); recreated, the tuples of new classes (zone,
-- cell, is_lent).
-- Takes: nothing.
-- Gives: the table zone_offers, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE zone_offers AS
SELECT zone_offers.*
FROM zone_offers
ANTI JOIN (SELECT zone, cell FROM recreated WHERE NOT is_lent) AS placed
    ON placed.zone = zone_offers.zone AND placed.cell = zone_offers.cell
