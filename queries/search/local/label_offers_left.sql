-- Answers: the labels on offer to rows of zones that are not placed yet; those that took rows are classes now.
-- Reads: label_offers, labels on offer to rows of zones (zone, label, cell, row_count, cost, value, is_open);
-- label_takes, the rows that labels took just now (zone, label, cell, row_count).
-- Takes: $k, the fewest rows of a class.
-- Gives: the table label_offers (zone, label, cell, row_count, cost, value, is_open).
CREATE OR REPLACE TEMP TABLE label_offers AS
WITH left_over AS (
    SELECT
        label_offers.zone,
        label_offers.label,
        label_offers.cell,
        CAST(label_offers.row_count - coalesce(placed.row_count, 0) AS BIGINT) AS row_count,
        label_offers.cost,
        label_offers.value,
        label_offers.is_open OR made.label IS NOT NULL AS is_open
    FROM label_offers
    LEFT JOIN (
        SELECT zone, cell, sum(row_count) AS row_count
        FROM label_takes
        GROUP BY zone, cell
    ) AS placed ON placed.zone = label_offers.zone AND placed.cell = label_offers.cell
    LEFT JOIN (SELECT DISTINCT zone, label FROM label_takes) AS made
        ON made.zone = label_offers.zone AND made.label = label_offers.label
    WHERE label_offers.row_count > coalesce(placed.row_count, 0)
)
SELECT *
FROM left_over
QUALIFY is_open OR sum(row_count) OVER (PARTITION BY zone, label) >= $k
