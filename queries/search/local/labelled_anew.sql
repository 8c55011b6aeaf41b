-- Answers: the classes, those of these zones anew.
-- Reads: labelled, the tuples of each label with a class (label, cell, row_count, cost); ruined, the classes of each
-- zone (label, zone); better, the zones that lose no more (zone); label_made, the rows that zones placed (zone, label,
-- cell, row_count, cost).
-- Takes: nothing.
-- Gives: the table labelled (label, cell, row_count, cost).
CREATE OR REPLACE TEMP TABLE labelled AS
SELECT label, cell, CAST(sum(row_count) AS BIGINT) AS row_count, any_value(cost) AS cost
FROM (
    SELECT labelled.label, labelled.cell, labelled.row_count, labelled.cost
    FROM labelled
    ANTI JOIN (
        SELECT ruined.label
        FROM ruined
        SEMI JOIN better ON better.zone = ruined.zone
    ) AS gone ON gone.label = labelled.label
    UNION ALL
    SELECT label_made.label, label_made.cell, label_made.row_count, label_made.cost
    FROM label_made
    SEMI JOIN better ON better.zone = label_made.zone
) AS placed
GROUP BY label, cell
