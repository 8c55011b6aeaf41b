-- Answers: the classes of each zone: its seed, and others of tuples that share a label with a tuple of the seed. What
-- several zones reach goes to one of them; most classes stand. One class of twelve is a seed, those with more loss
-- beyond prices more often.
-- Reads: labelled, the tuples of each label with a class (label, cell, row_count, cost); prices, the prices of tuples
-- (cell, price); active, the labels that tuples may take (label, cell).
-- Takes: $seed, a number for what chance decides; $widest, how many classes join a seed at most.
-- Gives: the table ruined (label, zone).
CREATE OR REPLACE TEMP TABLE ruined AS
WITH dear AS (
    SELECT
        labelled.label,
        greatest(0, sum(labelled.row_count * (labelled.cost - prices.price))) AS excess
    FROM labelled
    JOIN prices ON prices.cell = labelled.cell
    WHERE labelled.cost > 0
    GROUP BY labelled.label
),
seeds AS MATERIALIZED (
    SELECT label, 1 + hash(label + $seed + 1) % $widest AS steps
    FROM dear
    QUALIFY
        row_number() OVER (ORDER BY -ln((hash(label + $seed) % 1000003 + 1) / 1000004) / (0.02 + excess), label)
        <= 1 + count(*) OVER () // 12
),
shared AS (
    SELECT seeds.label AS zone, seeds.steps, active.label
    FROM seeds
    JOIN labelled ON labelled.label = seeds.label
    JOIN active ON active.cell = labelled.cell
    QUALIFY
        row_number() OVER (
            PARTITION BY seeds.label ORDER BY hash(active.cell + $seed, active.label), active.label
        ) <= seeds.steps * 2
),
met AS (
    SELECT
        shared.zone,
        shared.steps,
        min_by(active.cell, hash(active.cell + $seed, shared.zone, shared.label)) AS cell
    FROM shared
    JOIN active ON active.label = shared.label
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
