-- Answers: the zones whose rows all have a new class and lose less there.
-- Reads: freed, the rows that zones give up (zone, cell, row_count, most, home); spare, the classes of one tuple (cell,
-- cost); recreated, the tuples of new classes (zone, row_count, loss, is_lent).
-- Takes: nothing.
-- Gives: the table gaining (zone).
CREATE OR REPLACE TEMP TABLE gaining AS
WITH before AS (
    SELECT
        freed.zone,
        sum(CASE WHEN freed.home IS NULL THEN freed.row_count ELSE 0 END) AS row_count,
        sum(freed.row_count * (freed.most - coalesce(spare.cost, 0))) AS loss
    FROM freed
    LEFT JOIN spare ON spare.cell = freed.cell
    GROUP BY freed.zone
),
afterwards AS (
    SELECT zone, sum(CASE WHEN is_lent THEN 0 ELSE row_count END) AS row_count, sum(row_count * loss) AS loss
    FROM recreated
    GROUP BY zone
)
SELECT before.zone
FROM before
JOIN afterwards ON afterwards.zone = before.zone
WHERE
    afterwards.row_count = before.row_count
    AND afterwards.loss < before.loss * 0.999999
