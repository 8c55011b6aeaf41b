-- Answers: the labels on offer to the rows of each zone: those that k of them fall under, and the classes that stand.
-- Reads: ruined_rows, the rows that zones give up (zone, cell, row_count, price); label_pairs, the labels that tuples
-- may take (label, cell, cost); labelled, the tuples of each label with a class (label); ruined, the classes of each
-- zone (label).
-- Takes: $k, the fewest rows of a class.
-- Gives: the table label_offers (zone, label, cell, row_count, cost, value, is_open).
CREATE OR REPLACE TEMP TABLE label_offers AS
WITH standing AS (
    SELECT DISTINCT labelled.label
    FROM labelled
    ANTI JOIN ruined ON ruined.label = labelled.label
)
SELECT
    ruined_rows.zone,
    label_pairs.label,
    ruined_rows.cell,
    ruined_rows.row_count,
    label_pairs.cost,
    label_pairs.cost - ruined_rows.price AS value,
    standing.label IS NOT NULL AS is_open
FROM ruined_rows
JOIN label_pairs ON label_pairs.cell = ruined_rows.cell
LEFT JOIN standing ON standing.label = label_pairs.label
QUALIFY
    standing.label IS NOT NULL
    OR sum(ruined_rows.row_count) OVER (PARTITION BY ruined_rows.zone, label_pairs.label) >= $k
