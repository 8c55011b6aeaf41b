-- Answers: the tuples that can lend rows to the labels on offer in zones, and what a row loses by it.
-- Reads: zone_offers, labels on offer to tuples of zones (zone, label); near_pairs, the tuples with labels above them
-- (label, cell, cost); standing, the tuples of each class with what the class loses (part, cell, cost, is_alone);
-- spare, the classes of one tuple (cell, cost).
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
SELECT CAST(standing.part AS BIGINT) AS zone, -CAST(standing.part AS BIGINT) AS label, standing.cell,
    standing.cost - spare.cost AS added
FROM standing
JOIN spare ON spare.cell = standing.cell
WHERE NOT standing.is_alone
