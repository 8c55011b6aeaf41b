-- Answers: the zones whose rows are all placed and lose no more there than before.
-- Reads: labelled, the tuples of each label with a class (label, cell, row_count, cost); ruined, the classes of each
-- zone (label, zone); label_made, the rows that zones placed (zone, row_count, cost).
-- Takes: nothing.
-- Gives: the table better (zone).
CREATE OR REPLACE TEMP TABLE better AS
SELECT before.zone
FROM (
    SELECT ruined.zone, sum(labelled.row_count) AS row_count, sum(labelled.row_count * labelled.cost) AS loss
    FROM labelled
    JOIN ruined ON ruined.label = labelled.label
    GROUP BY ruined.zone
) AS before
JOIN (
    SELECT zone, sum(row_count) AS row_count, sum(row_count * cost) AS loss
    FROM label_made
    GROUP BY zone
) AS afterwards ON afterwards.zone = before.zone
WHERE afterwards.row_count = before.row_count AND afterwards.loss <= before.loss
