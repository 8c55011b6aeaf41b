-- Answers: the rows of labels that are the best of all that they would take, and of labels with a class those for
-- which they are the best; of labels that would borrow more than there is those that lose most wait.
-- Reads: zone_takes, the rows that labels would take (zone, label, cell, loss, is_lent, is_open, row_count, score);
-- lendable, the rows that can be lent (cell, row_count).
-- Takes: nothing.
-- Gives: the table zone_made (zone, label, cell, row_count, loss, is_lent).
CREATE OR REPLACE TEMP TABLE zone_made AS
WITH best AS (
    SELECT zone, cell, min(struct_pack(score := score, label := label)) AS best
    FROM zone_takes
    WHERE NOT is_lent
    GROUP BY zone, cell
),
winning AS (
    SELECT
        zone_takes.*,
        sum(zone_takes.row_count) OVER (
            PARTITION BY zone_takes.cell, zone_takes.is_lent ORDER BY zone_takes.score, zone_takes.zone, zone_takes.label
        ) AS until_here
    FROM zone_takes
    LEFT JOIN best ON best.zone = zone_takes.zone AND best.cell = zone_takes.cell
    QUALIFY
        CASE
            WHEN zone_takes.is_open THEN best.best.label = zone_takes.label
            ELSE bool_and(zone_takes.is_lent OR best.best.label = zone_takes.label)
                OVER (PARTITION BY zone_takes.zone, zone_takes.label)
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
