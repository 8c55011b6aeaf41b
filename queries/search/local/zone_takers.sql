-- Answers: the tuples of zones whose best label is the best of all its tuples, or of k rows.
-- Reads: zone_offers, labels on offer to tuples of zones (zone, label, cell, row_count, cost); zone_scores, what
-- labels lose (zone, label, below, held, score).
-- Takes: $k, the fewest rows of a class.
-- Gives: the table zone_takers (zone, label, cell, row_count, cost, score, lacking).
CREATE OR REPLACE TEMP TABLE zone_takers AS
SELECT
    chosen.zone,
    best.label,
    chosen.cell,
    chosen.row_count,
    best.cost,
    best.score,
    $k - best.held - sum(chosen.row_count) OVER of_label AS lacking
FROM (
    SELECT
        zone_offers.zone,
        zone_offers.cell,
        any_value(zone_offers.row_count) AS row_count,
        min(struct_pack(
            score := zone_scores.score,
            label := zone_offers.label,
            cost := zone_offers.cost,
            below := zone_scores.below,
            held := zone_scores.held
        )) AS best
    FROM zone_offers
    JOIN zone_scores ON zone_scores.zone = zone_offers.zone AND zone_scores.label = zone_offers.label
    GROUP BY zone_offers.zone, zone_offers.cell
) AS chosen
WINDOW of_label AS (PARTITION BY chosen.zone, best.label)
QUALIFY sum(chosen.row_count) OVER of_label >= least(best.below, $k - best.held)
