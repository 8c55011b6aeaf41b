-- Answers: the classes of each zone: its seed, and others of tuples that share a label with a tuple of the seed. What
-- several zones reach goes to one of them; most classes stand.
-- Reads: seeds, the classes that zones are made around (label, steps); labelled, the tuples of each label with a class
-- (label, cell, cost); label_pairs, the labels that tuples may take (label, cell).
-- Takes: $seed, a number for what chance decides.
-- Gives: the table ruined (label, zone).
CREATE OR REPLACE TEMP TABLE ruined AS
WITH shared AS (
    SELECT seeds.label AS zone, seeds.steps, label_pairs.label
    FROM seeds
    JOIN labelled ON labelled.label = seeds.label
    JOIN label_pairs ON label_pairs.cell = labelled.cell
    QUALIFY
        row_number() OVER (
            PARTITION BY seeds.label ORDER BY hash(label_pairs.cell + $seed, label_pairs.label), label_pairs.label
        ) <= seeds.steps * 2
),
met AS (
    SELECT
        shared.zone,
        shared.steps,
        min_by(label_pairs.cell, hash(label_pairs.cell + $seed, shared.zone, shared.label)) AS cell
    FROM shared
    JOIN label_pairs ON label_pairs.label = shared.label
    GROUP BY shared.zone, shared.steps, shared.label
),
reached AS (
    SELECT met.zone, labelled.label
    FROM met
    JOIN labelled ON labelled.cell = met.cell
    ANTI JOIN seeds ON seeds.label = labelled.label
    WHERE labelled.cost > 0
    GROUP BY met.zone, met.steps, labelled.label
    QUALIFY
        row_number() OVER (PARTITION BY met.zone ORDER BY hash(labelled.label + $seed), labelled.label)
        <= met.steps + 1
)
SELECT label, min_by(zone, hash(zone + $seed, label)) AS zone
FROM reached
GROUP BY label
UNION ALL
SELECT label, label AS zone
FROM seeds
