-- Answers: which rows a label on offer in a zone would take, and what it loses for each of them: all below it, and
-- where these are not k the nearest of the lent ones. Labels that have a class already take any row.
-- Reads: zone_offers, labels on offer to tuples of zones (zone, label, cell, row_count, cost); recreated, the
-- tuples of new classes (zone, label, row_count); zone_fillers, the tuples that can lend rows to labels (zone, label,
-- cell, added); lendable, the rows that can be lent (cell, row_count).
-- Takes: $k, the fewest rows of a class.
-- Gives: the table zone_takes (zone, label, cell, loss, is_lent, is_open, row_count, score).
CREATE OR REPLACE TEMP TABLE zone_takes AS
WITH open_labels AS (
    SELECT DISTINCT zone, label
    FROM recreated
),
candidates AS (
    SELECT zone, label, cell, cost AS loss, FALSE AS is_lent, row_count, cost AS value
    FROM zone_offers
    ANTI JOIN open_labels ON open_labels.zone = zone_offers.zone AND open_labels.label = zone_offers.label
    UNION ALL
    SELECT zone_fillers.zone, zone_fillers.label, zone_fillers.cell, zone_fillers.added, TRUE, lendable.row_count,
        zone_fillers.added
    FROM zone_fillers
    JOIN lendable ON lendable.cell = zone_fillers.cell
    ANTI JOIN open_labels ON open_labels.zone = zone_fillers.zone AND open_labels.label = zone_fillers.label
    WHERE lendable.row_count > 0
),
taken AS (
    SELECT
        zone,
        label,
        cell,
        loss,
        is_lent,
        value,
        CASE
            WHEN value < 0 THEN row_count
            ELSE greatest(0, least(row_count, $k - (CAST(sum(row_count) OVER nearest_first AS BIGINT) - row_count)))
        END AS row_count
    FROM candidates
    WINDOW nearest_first AS (PARTITION BY zone, label ORDER BY value, is_lent, cell ROWS UNBOUNDED PRECEDING)
)
SELECT
    zone,
    label,
    cell,
    loss,
    is_lent,
    FALSE AS is_open,
    CAST(row_count AS BIGINT) AS row_count,
    sum(value * row_count) OVER of_label
        / sum(CASE WHEN is_lent THEN 0 ELSE row_count END) OVER of_label AS score
FROM taken
WHERE row_count > 0
WINDOW of_label AS (PARTITION BY zone, label)
QUALIFY sum(row_count) OVER of_label >= $k AND sum(CASE WHEN is_lent THEN 0 ELSE row_count END) OVER of_label > 0
UNION ALL
SELECT
    zone_offers.zone,
    zone_offers.label,
    zone_offers.cell,
    zone_offers.cost,
    FALSE,
    TRUE,
    zone_offers.row_count,
    zone_offers.cost
FROM zone_offers
SEMI JOIN open_labels ON open_labels.zone = zone_offers.zone AND open_labels.label = zone_offers.label
