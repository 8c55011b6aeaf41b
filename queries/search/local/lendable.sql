-- Answers: the rows that can be lent, with those that go back to classes of their tuple alone, without those that new
-- classes borrowed.
-- Reads: spare, the rows that classes can lend (cell, row_count); standing, the tuples of each class (cell, row_count,
-- is_alone, home); recreated, the tuples of new classes (cell, row_count, is_lent).
-- Takes: nothing.
-- Gives: the table lendable (cell, row_count).
CREATE OR REPLACE TEMP TABLE lendable AS
WITH moved AS (
    SELECT cell, row_count
    FROM spare
    UNION ALL
    SELECT cell, row_count
    FROM standing
    WHERE NOT is_alone AND home IS NOT NULL
    UNION ALL
    SELECT cell, -row_count AS row_count
    FROM recreated
    WHERE is_lent
)
SELECT cell, CAST(sum(row_count) AS BIGINT) AS row_count
FROM moved
GROUP BY cell
