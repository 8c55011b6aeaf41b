-- Answers: the classes, those anew of zones whose rows are all placed and lose no more there than before. What no label
-- is worth taking joins the class that loses least, of those that stand and those made anew.
-- Reads: labelled, the tuples of each label with a class (label, cell, row_count, cost); ruined, the classes of each
-- zone (label, zone); label_made, the rows that zones placed (zone, label, cell, row_count, cost); label_offers, labels
-- on offer to rows of zones that are not placed (zone, label, cell, row_count, cost, is_open).
-- Takes: nothing.
-- Gives: the table labelled (label, cell, row_count, cost).
CREATE OR REPLACE TEMP TABLE labelled AS
WITH waiting AS (
    SELECT
        zone,
        cell,
        any_value(row_count) AS row_count,
        min(struct_pack(cost := cost, label := label)) AS cheapest
    FROM label_offers
    WHERE is_open
    GROUP BY zone, cell
),
made AS MATERIALIZED (
    SELECT zone, label, cell, row_count, cost
    FROM label_made
    UNION ALL
    SELECT zone, cheapest.label, cell, row_count, cheapest.cost
    FROM waiting
),
before AS (
    SELECT ruined.zone, sum(labelled.row_count) AS row_count, sum(labelled.row_count * labelled.cost) AS loss
    FROM labelled
    JOIN ruined ON ruined.label = labelled.label
    GROUP BY ruined.zone
),
afterwards AS (
    SELECT zone, sum(row_count) AS row_count, sum(row_count * cost) AS loss
    FROM made
    GROUP BY zone
),
better AS MATERIALIZED (
    SELECT before.zone
    FROM before
    JOIN afterwards ON afterwards.zone = before.zone
    WHERE afterwards.row_count = before.row_count AND afterwards.loss <= before.loss
),
gone AS (
    SELECT ruined.label
    FROM ruined
    SEMI JOIN better ON better.zone = ruined.zone
),
placed AS (
    SELECT labelled.label, labelled.cell, labelled.row_count, labelled.cost
    FROM labelled
    ANTI JOIN gone ON gone.label = labelled.label
    UNION ALL
    SELECT made.label, made.cell, made.row_count, made.cost
    FROM made
    SEMI JOIN better ON better.zone = made.zone
)
SELECT label, cell, CAST(sum(row_count) AS BIGINT) AS row_count, any_value(cost) AS cost
FROM placed
GROUP BY label, cell
