-- Answers: the labels on offer to rows of zones that have no class yet.
-- Reads: zone_offers, labels on offer to tuples of zones (zone, label, cell, row_count, cost); zone_made, the
-- rows of labels (zone, cell, row_count, is_lent).
-- Takes: nothing.
-- Gives: the table zone_offers (zone, label, cell, row_count, cost).
CREATE OR REPLACE TEMP TABLE zone_offers AS
SELECT
    zone_offers.zone,
    zone_offers.label,
    zone_offers.cell,
    CAST(zone_offers.row_count - coalesce(placed.row_count, 0) AS BIGINT) AS row_count,
    zone_offers.cost
FROM zone_offers
LEFT JOIN (
    SELECT zone, cell, sum(row_count) AS row_count
    FROM zone_made
    WHERE NOT is_lent
    GROUP BY zone, cell
) AS placed ON placed.zone = zone_offers.zone AND placed.cell = zone_offers.cell
WHERE zone_offers.row_count > coalesce(placed.row_count, 0)
