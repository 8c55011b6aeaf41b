-- Answers: the tuples that can lend rows to the labels on offer in zones, and what a row loses by it.
-- Reads: zone_offers, labels on offer to tuples of zones (zone, label); near_pairs, the tuples with labels above them
-- (label, cell, cost); freed, the rows that zones give up (zone, cell, most); spare, the classes of one tuple (cell,
-- cost).
-- Takes: nothing.
-- Gives: the table zone_fillers (zone, label, cell, added).
CREATE OR REPLACE TEMP TABLE zone_fillers AS
WITH labels AS (
    SELECT DISTINCT zone, label
    FROM zone_offers
)
SELECT labels.zone, labels.label, near_pairs.cell, near_pairs.cost - spare.cost AS added
FROM labels
JOIN near_pairs ON near_pairs.label = labels.label
JOIN spare ON spare.cell = near_pairs.cell
UNION ALL
SELECT freed.zone, -freed.zone AS label, freed.cell, freed.most - spare.cost AS added
FROM freed
JOIN spare ON spare.cell = freed.cell
