-- Answers: what no label is worth taking joins the class that loses least, of those that stand and those made anew.
-- Reads: label_offers, labels on offer to rows of zones that are not placed (zone, label, cell, row_count, cost,
-- is_open).
-- Takes: nothing.
-- Gives: further rows of the table label_made (zone, label, cell, row_count, cost).
INSERT INTO label_made
SELECT zone, cheapest.label, cell, row_count, cheapest.cost
FROM (
    SELECT
        zone,
        cell,
        any_value(row_count) AS row_count,
        min(struct_pack(cost := cost, label := label)) AS cheapest
    FROM label_offers
    WHERE is_open
    GROUP BY zone, cell
) AS waiting
