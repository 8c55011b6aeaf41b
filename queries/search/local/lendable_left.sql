-- Answers: the rows that can still be lent.
-- Reads: lendable, the rows that could be lent (part, cell, cost, row_count); zone_made, the rows of labels (cell,
-- row_count, is_lent).
-- Takes: nothing.
-- Gives: the table lendable (part, cell, cost, row_count).
CREATE OR REPLACE TEMP TABLE lendable AS
SELECT
    lendable.part,
    lendable.cell,
    lendable.cost,
    CAST(lendable.row_count - coalesce(borrowed.row_count, 0) AS BIGINT) AS row_count
FROM lendable
LEFT JOIN (
    SELECT cell, sum(row_count) AS row_count
    FROM zone_made
    WHERE is_lent
    GROUP BY cell
) AS borrowed ON borrowed.cell = lendable.cell
