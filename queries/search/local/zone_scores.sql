-- Answers: what a label on offer in a zone loses for each row that has no class there, with the rows that it lacks
-- lent.
-- Reads: zone_offers, labels on offer to tuples of zones (zone, label, cost, row_count); recreated, the tuples of new
-- classes (zone, label, row_count); zone_fillers, the tuples that can lend rows to labels (zone, label, cell, added);
-- lendable, the rows that can be lent (cell, row_count).
-- Takes: $k, the fewest rows of a class.
-- Gives: the table zone_scores (zone, label, below, held, score).
CREATE OR REPLACE TEMP TABLE zone_scores AS
WITH labels AS MATERIALIZED (
    SELECT on_offer.zone, on_offer.label, on_offer.cost, on_offer.below, coalesce(open_labels.held, 0) AS held
    FROM (
        SELECT zone, label, any_value(cost) AS cost, CAST(sum(row_count) AS BIGINT) AS below
        FROM zone_offers
        GROUP BY zone, label
    ) AS on_offer
    LEFT JOIN (
        SELECT zone, label, CAST(sum(row_count) AS BIGINT) AS held
        FROM recreated
        GROUP BY zone, label
    ) AS open_labels ON open_labels.zone = on_offer.zone AND open_labels.label = on_offer.label
),
borrowed AS (
    SELECT zone, label, sum(got) AS got, sum(got * added) AS loss
    FROM (
        SELECT
            labels.zone,
            labels.label,
            zone_fillers.added,
            greatest(0, least(
                lendable.row_count,
                $k - labels.below - labels.held - (
                    CAST(sum(lendable.row_count) OVER cheapest_first AS BIGINT) - lendable.row_count
                )
            )) AS got
        FROM labels
        JOIN zone_fillers ON zone_fillers.zone = labels.zone AND zone_fillers.label = labels.label
        JOIN lendable ON lendable.cell = zone_fillers.cell
        WHERE labels.below + labels.held < $k AND lendable.row_count > 0
        WINDOW cheapest_first AS (
            PARTITION BY labels.zone, labels.label
            ORDER BY zone_fillers.added, zone_fillers.cell
            ROWS UNBOUNDED PRECEDING
        )
    ) AS filled
    GROUP BY zone, label
)
SELECT
    labels.zone,
    labels.label,
    labels.below,
    labels.held,
    labels.cost + coalesce(borrowed.loss, 0) / labels.below AS score
FROM labels
LEFT JOIN borrowed ON borrowed.zone = labels.zone AND borrowed.label = labels.label
WHERE labels.below + labels.held + coalesce(borrowed.got, 0) >= $k
