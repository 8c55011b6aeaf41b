-- Answers: the rows of labels that are the best of all that they would take, and of labels with a class those for
-- which they are the best; of labels that would borrow more than there is those that lose most wait. A label without a
-- class would take the nearest k rows, of the zone or lent, and all lent ones that lose less by it; one with a class
-- takes any row.
-- Reads: zone_offers, labels on offer to tuples of zones (zone, label, cell, row_count, cost, value, is_open);
-- zone_fillers, the tuples that can lend rows to labels (zone, label, cell, added); lendable, the rows that can be lent
-- (cell, row_count).
-- Takes: $k, the fewest rows of a class.
-- Gives: the table zone_made (zone, label, cell, row_count, loss, is_lent).
CREATE OR REPLACE TEMP TABLE zone_made AS
WITH candidates AS (
    SELECT zone, label, cell, cost AS loss, FALSE AS is_lent, row_count, value
    FROM zone_offers
    WHERE NOT is_open
    UNION ALL
    SELECT zone_fillers.zone, zone_fillers.label, zone_fillers.cell, zone_fillers.added, TRUE, lendable.row_count,
        zone_fillers.added
    FROM zone_fillers
    JOIN lendable ON lendable.cell = zone_fillers.cell
    SEMI JOIN zone_offers
        ON zone_offers.zone = zone_fillers.zone AND zone_offers.label = zone_fillers.label AND NOT zone_offers.is_open
    WHERE lendable.row_count > 0
),
filled AS (
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
),
takes AS MATERIALIZED (
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
    FROM filled
    WHERE row_count > 0
    WINDOW of_label AS (PARTITION BY zone, label)
    QUALIFY sum(row_count) OVER of_label >= $k AND sum(CASE WHEN is_lent THEN 0 ELSE row_count END) OVER of_label > 0
    UNION ALL
    SELECT zone, label, cell, cost, FALSE, TRUE, row_count, value
    FROM zone_offers
    WHERE is_open
),
best AS (
    SELECT zone, cell, min(struct_pack(score := score, label := label)) AS best
    FROM takes
    WHERE NOT is_lent
    GROUP BY zone, cell
),
winning AS (
    SELECT
        takes.*,
        sum(takes.row_count) OVER (
            PARTITION BY takes.cell, takes.is_lent ORDER BY takes.score, takes.zone, takes.label
        ) AS until_here
    FROM takes
    LEFT JOIN best ON best.zone = takes.zone AND best.cell = takes.cell
    QUALIFY
        CASE
            WHEN takes.is_open THEN best.best.label = takes.label
            ELSE bool_and(takes.is_lent OR best.best.label = takes.label)
                OVER (PARTITION BY takes.zone, takes.label)
        END
),
judged AS (
    SELECT
        winning.*,
        bool_or(winning.is_lent AND winning.until_here > lendable.row_count)
            OVER (PARTITION BY winning.zone, winning.label) AS is_short
    FROM winning
    LEFT JOIN lendable ON lendable.cell = winning.cell
)
SELECT zone, label, cell, row_count, loss, is_lent
FROM judged
WHERE is_short IS DISTINCT FROM TRUE
