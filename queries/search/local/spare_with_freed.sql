-- Answers: the rows that can be lent, with those that went back to classes of their tuple alone.
-- Reads: spare, the rows that classes can lend (part, cell, cost, row_count); freed, the rows that zones give up
-- (cell, row_count, home).
-- Takes: nothing.
-- Gives: the table lendable (part, cell, cost, row_count).
CREATE OR REPLACE TEMP TABLE lendable AS
SELECT spare.part, spare.cell, spare.cost, CAST(spare.row_count + coalesce(returned.row_count, 0) AS BIGINT) AS row_count
FROM spare
LEFT JOIN (
    SELECT cell, sum(row_count) AS row_count
    FROM freed
    WHERE home IS NOT NULL
    GROUP BY cell
) AS returned ON returned.cell = spare.cell
