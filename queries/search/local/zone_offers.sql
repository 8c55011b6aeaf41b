-- Answers: the labels that tuples of a zone may take: those near them, and the class that there was.
-- Reads: freed, the rows that zones give up (zone, cell, row_count, most, home); near_pairs, the tuples with
-- labels above them (label, cell, cost).
-- Takes: $k, the fewest rows of a class.
-- Gives: the table zone_offers (zone, label, cell, row_count, cost).
CREATE OR REPLACE TEMP TABLE zone_offers AS
WITH offered AS (
    SELECT freed.zone, near_pairs.label, freed.cell, freed.row_count, near_pairs.cost, freed.most
    FROM freed
    JOIN near_pairs ON near_pairs.cell = freed.cell
    WHERE freed.home IS NULL AND near_pairs.cost <= freed.most
),
labels AS (
    SELECT zone, label, sum(row_count) AS below
    FROM offered
    GROUP BY zone, label
)
SELECT offered.zone, offered.label, offered.cell, offered.row_count, offered.cost
FROM offered
JOIN labels ON labels.zone = offered.zone AND labels.label = offered.label
WHERE offered.cost * greatest(1, $k / labels.below) <= offered.most
UNION ALL
SELECT zone, -zone AS label, cell, row_count, most AS cost
FROM freed
WHERE home IS NULL
