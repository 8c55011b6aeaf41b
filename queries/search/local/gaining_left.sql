-- Answers: the zones that do not borrow from a class more than it can spare, where only these zones give rows back.
-- Reads: gaining, zones that lose less (zone); recreated, the tuples of new classes (zone, cell, row_count, is_lent);
-- freed, the rows that zones give up (zone, cell, row_count, home); spare, the rows that classes can lend (cell,
-- row_count).
-- Takes: nothing.
-- Gives: the table gaining (zone).
CREATE OR REPLACE TEMP TABLE gaining AS
WITH short AS (
    SELECT spare.cell
    FROM spare
    JOIN (
        SELECT cell, sum(row_count) AS row_count
        FROM recreated
        SEMI JOIN gaining ON gaining.zone = recreated.zone
        WHERE is_lent
        GROUP BY cell
    ) AS lent ON lent.cell = spare.cell
    LEFT JOIN (
        SELECT cell, sum(row_count) AS row_count
        FROM freed
        SEMI JOIN gaining ON gaining.zone = freed.zone
        GROUP BY cell
    ) AS returned ON returned.cell = spare.cell
    WHERE lent.row_count > spare.row_count + coalesce(returned.row_count, 0)
)
SELECT gaining.zone
FROM gaining
ANTI JOIN (
    SELECT recreated.zone
    FROM recreated
    SEMI JOIN short ON short.cell = recreated.cell
    WHERE recreated.is_lent
) AS borrowing ON borrowing.zone = gaining.zone
