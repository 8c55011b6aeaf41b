-- Answers: zones joined with those that they share a label with: of the labels above its tuples each zone takes the
-- one of least hash, so that two take the same more often the more labels they share. Labels above more tuples have a
-- better chance.
-- Reads: zones, the zones of classes (part, zone); members, the tuples of each class (part, cell); near_pairs, the
-- tuples with labels above them (label, cell).
-- Takes: $seed, a number for what chance decides.
-- Gives: the table zones (part, zone).
CREATE OR REPLACE TEMP TABLE zones AS
WITH labels AS (
    SELECT label, ln((hash(label + $seed) % 1000003 + 1) / 1000005) / count(*) AS chance
    FROM near_pairs
    GROUP BY label
    HAVING count(*) > 1
),
joined AS (
    SELECT zones.zone AS before, max(struct_pack(chance := labels.chance, label := labels.label)) AS best
    FROM zones
    JOIN members ON members.part = zones.part
    JOIN near_pairs ON near_pairs.cell = members.cell
    JOIN labels ON labels.label = near_pairs.label
    GROUP BY zones.zone
)
SELECT zones.part, CAST(dense_rank() OVER (ORDER BY joined.best.label) AS BIGINT) AS zone
FROM zones
JOIN joined ON joined.before = zones.zone
