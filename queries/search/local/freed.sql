-- Answers: what zones give up, each a class of several tuples: the rows of each tuple, which of them go back to a class
-- of their tuple alone, and what one lost.
-- Reads: standing, the tuples of each class with what the class loses (part, cell, row_count, cost,
-- is_alone); spare, the classes of one tuple (part, cell).
-- Takes: nothing.
-- Gives: the table freed (zone, cell, row_count, most, home).
CREATE OR REPLACE TEMP TABLE freed AS
SELECT
    CAST(standing.part AS BIGINT) AS zone,
    standing.cell,
    CAST(standing.row_count AS BIGINT) AS row_count,
    standing.cost AS most,
    spare.part AS home
FROM standing
LEFT JOIN spare ON spare.cell = standing.cell
WHERE NOT standing.is_alone
