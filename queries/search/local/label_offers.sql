-- Answers: the labels on offer to the rows that the classes of each zone give up, which chance prices higher or lower:
-- labels that k of them fall under, and the classes that stand.
-- Reads: labelled, the tuples of each label with a class (label, cell, row_count); ruined, the classes of each zone
-- (label, zone); prices, the prices of tuples (cell, price); active, the labels that tuples may take (label, cell,
-- cost).
-- Takes: $noise, the share by which a price changes at most; $seed, a number for what chance decides; $units, how many
-- units a loss of 1 has; $k, the fewest rows of a class.
-- Gives: the table label_offers (zone, label, cell, row_count, cost, value, is_open).
CREATE OR REPLACE TEMP TABLE label_offers AS
WITH standing AS (
    SELECT DISTINCT labelled.label
    FROM labelled
    ANTI JOIN ruined ON ruined.label = labelled.label
),
ruined_rows AS (
    SELECT
        ruined.zone,
        labelled.cell,
        CAST(sum(labelled.row_count) AS BIGINT) AS row_count,
        round(any_value(prices.price) * (1 + $noise * (hash(labelled.cell + $seed) % 1000 / 500 - 1)) * $units) / $units
            AS price
    FROM labelled
    JOIN ruined ON ruined.label = labelled.label
    JOIN prices ON prices.cell = labelled.cell
    GROUP BY ruined.zone, labelled.cell
)
SELECT
    ruined_rows.zone,
    active.label,
    ruined_rows.cell,
    ruined_rows.row_count,
    active.cost,
    active.cost - ruined_rows.price AS value,
    standing.label IS NOT NULL AS is_open
FROM ruined_rows
JOIN active ON active.cell = ruined_rows.cell
LEFT JOIN standing ON standing.label = active.label
QUALIFY
    standing.label IS NOT NULL
    OR sum(ruined_rows.row_count) OVER (PARTITION BY ruined_rows.zone, active.label) >= $k
