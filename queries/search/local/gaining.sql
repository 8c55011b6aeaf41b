-- Answers: the zones whose rows all have a new class and lose less there.
-- Reads: standing, the tuples of each class with what the class loses (part, cell, row_count, cost); zones, the zones
-- of classes (part, zone); freed, the rows that zones give up (zone, cell, home); spare, the classes of one tuple
-- (cell, cost); recreated, the tuples of new classes (zone, row_count, loss, is_lent).
-- Takes: nothing.
-- Gives: the table gaining (zone).
CREATE OR REPLACE TEMP TABLE gaining AS
SELECT before.zone
FROM (
    SELECT
        zones.zone,
        sum(CASE WHEN spare.cell IS NULL THEN standing.row_count ELSE 0 END) AS row_count,
        sum(standing.row_count * (standing.cost - coalesce(spare.cost, 0))) AS loss
    FROM standing
    JOIN zones ON zones.part = standing.part
    LEFT JOIN spare ON spare.cell = standing.cell
    GROUP BY zones.zone
) AS before
JOIN (
    SELECT zone, sum(CASE WHEN is_lent THEN 0 ELSE row_count END) AS row_count, sum(row_count * loss) AS loss
    FROM recreated
    GROUP BY zone
) AS afterwards ON afterwards.zone = before.zone
WHERE
    afterwards.row_count = before.row_count
    AND afterwards.loss < before.loss * 0.999999
