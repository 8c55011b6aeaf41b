-- Answers: the classes without what they lent, and the new class of that and the tuples left over.
-- Reads: members, the tuples of each class, with their rows there (part, cell, row_count); lent, the rows that are lent
-- (row_count, part, cell); rest, the tuples without a class (cell, row_count).
-- Takes: nothing.
-- Gives: the table borrowed (part, cell, row_count).
CREATE OR REPLACE TEMP TABLE borrowed AS
SELECT members.part, members.cell, members.row_count - coalesce(lent.row_count, 0) AS row_count
FROM members
LEFT JOIN lent ON lent.part = members.part AND lent.cell = members.cell
WHERE members.row_count > coalesce(lent.row_count, 0)
UNION ALL
SELECT 0 AS part, cell, CAST(sum(row_count) AS BIGINT) AS row_count
FROM (
    SELECT cell, row_count
    FROM rest
    UNION ALL
    SELECT cell, row_count
    FROM lent
) AS gathered
GROUP BY cell
