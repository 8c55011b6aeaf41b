-- Answers: of these zones those whose rows all have a new class and lose less there, without those that borrow from a
-- class more than it can spare where these zones alone give rows back.
-- Reads: standing, the tuples of each class with what the class loses (part, cell, row_count, cost, is_alone, home);
-- spare, the classes of one tuple (cell, cost, row_count); recreated, the tuples of new classes (zone, cell, row_count,
-- loss, is_lent); gaining, the zones so far (zone).
-- Takes: nothing.
-- Gives: the table gaining (zone).
CREATE OR REPLACE TEMP TABLE gaining AS
WITH before AS (
    SELECT
        standing.part AS zone,
        sum(CASE WHEN standing.home IS NULL THEN standing.row_count ELSE 0 END) AS row_count,
        sum(standing.row_count * (standing.cost - coalesce(spare.cost, 0))) AS loss
    FROM standing
    LEFT JOIN spare ON spare.cell = standing.cell
    WHERE NOT standing.is_alone
    GROUP BY standing.part
),
afterwards AS (
    SELECT zone, sum(CASE WHEN is_lent THEN 0 ELSE row_count END) AS row_count, sum(row_count * loss) AS loss
    FROM recreated
    GROUP BY zone
),
lent AS (
    SELECT cell, sum(row_count) AS row_count
    FROM recreated
    SEMI JOIN gaining ON gaining.zone = recreated.zone
    WHERE is_lent
    GROUP BY cell
),
returned AS (
    SELECT cell, sum(row_count) AS row_count
    FROM standing
    SEMI JOIN gaining ON gaining.zone = standing.part
    GROUP BY cell
),
short AS (
    SELECT spare.cell
    FROM spare
    JOIN lent ON lent.cell = spare.cell
    LEFT JOIN returned ON returned.cell = spare.cell
    WHERE lent.row_count > spare.row_count + coalesce(returned.row_count, 0)
),
borrowing AS (
    SELECT recreated.zone
    FROM recreated
    SEMI JOIN short ON short.cell = recreated.cell
    WHERE recreated.is_lent
)
SELECT before.zone
FROM before
JOIN afterwards ON afterwards.zone = before.zone
SEMI JOIN gaining ON gaining.zone = before.zone
ANTI JOIN borrowing ON borrowing.zone = before.zone
WHERE
    afterwards.row_count = before.row_count
    AND afterwards.loss < before.loss * 0.999999
