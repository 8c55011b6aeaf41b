-- Answers: the labels on offer to rows of zones that are not placed yet; those that took rows are classes now.
-- Reads: zone_offers, labels on offer to rows of zones (zone, label, cell, row_count, cost, value, is_open);
-- zone_made, the rows that labels took just now (zone, label, cell, row_count).
-- Takes: $fewest, the rows that a label without a class stays on offer to.
-- Gives: the table zone_offers (zone, label, cell, row_count, cost, value, is_open).
CREATE OR REPLACE TEMP TABLE zone_offers AS
WITH placed AS (
    SELECT zone, cell, sum(row_count) AS row_count
    FROM zone_made
    GROUP BY zone, cell
),
made AS (
    SELECT DISTINCT zone, label
    FROM zone_made
),
left_over AS (
    SELECT
        zone_offers.zone,
        zone_offers.label,
        zone_offers.cell,
        CAST(zone_offers.row_count - coalesce(placed.row_count, 0) AS BIGINT) AS row_count,
        zone_offers.cost,
        zone_offers.value,
        zone_offers.is_open OR made.label IS NOT NULL AS is_open
    FROM zone_offers
    LEFT JOIN placed ON placed.zone = zone_offers.zone AND placed.cell = zone_offers.cell
    LEFT JOIN made ON made.zone = zone_offers.zone AND made.label = zone_offers.label
    WHERE zone_offers.row_count > coalesce(placed.row_count, 0)
)
SELECT *
FROM left_over
QUALIFY is_open OR sum(row_count) OVER (PARTITION BY zone, label) >= $fewest
