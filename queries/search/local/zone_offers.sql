-- Answers: the labels that tuples of a zone, a class of several tuples, may take: those near them, and the class that
-- there was. Tuples with a class of their own elsewhere go back there.
-- Reads: standing, the tuples of each class with what the class loses (part, cell, row_count, cost, is_alone, home);
-- near_pairs, the tuples with labels above them (label, cell, cost).
-- Takes: $k, the fewest rows of a class.
-- Gives: the table zone_offers (zone, label, cell, row_count, cost, value, is_open).
CREATE OR REPLACE TEMP TABLE zone_offers AS
WITH freed AS (
    SELECT CAST(part AS BIGINT) AS zone, cell, CAST(row_count AS BIGINT) AS row_count, cost AS most
    FROM standing
    WHERE NOT is_alone AND home IS NULL
),
near AS (
    SELECT freed.zone, near_pairs.label, freed.cell, freed.row_count, near_pairs.cost, freed.most
    FROM freed
    JOIN near_pairs ON near_pairs.cell = freed.cell
    WHERE near_pairs.cost <= freed.most
),
labels AS (
    SELECT zone, label, sum(row_count) AS below
    FROM near
    GROUP BY zone, label
),
offered AS (
    SELECT near.zone, near.label, near.cell, near.row_count, near.cost
    FROM near
    JOIN labels ON labels.zone = near.zone AND labels.label = near.label
    WHERE near.cost * greatest(1, $k / labels.below) <= near.most
    UNION ALL
    SELECT zone, -zone AS label, cell, row_count, most AS cost
    FROM freed
)
SELECT *, cost AS value, FALSE AS is_open
FROM offered
