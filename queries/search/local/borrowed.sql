-- Answers: the classes without what they lent, and the new class of that and the tuples left over. As many rows are
-- lent as these lack, the cheapest first.
-- Reads: members, the tuples of each class, with their rows there (part, cell, row_count); lenders, the rows that
-- tuples can spare (cell, part, added, can_lend); rest, the tuples without a class (cell, row_count).
-- Takes: $k, the fewest rows of a class.
-- Gives: the table borrowed (part, cell, row_count).
CREATE OR REPLACE TEMP TABLE borrowed AS
WITH left_over AS (
    SELECT $k - CAST(sum(row_count) AS BIGINT) AS lacking
    FROM rest
),
ordered AS (
    SELECT
        cell,
        part,
        can_lend,
        CAST(sum(can_lend) OVER cheapest_first AS BIGINT) - can_lend AS lent_before
    FROM lenders
    WINDOW cheapest_first AS (ORDER BY added, cell, part ROWS UNBOUNDED PRECEDING)
),
lent AS MATERIALIZED (
    SELECT ordered.cell, ordered.part, least(ordered.can_lend, left_over.lacking - ordered.lent_before) AS row_count
    FROM ordered
    JOIN left_over ON ordered.lent_before < left_over.lacking
),
gathered AS (
    SELECT cell, row_count
    FROM rest
    UNION ALL
    SELECT cell, row_count
    FROM lent
)
SELECT members.part, members.cell, members.row_count - coalesce(lent.row_count, 0) AS row_count
FROM members
LEFT JOIN lent ON lent.part = members.part AND lent.cell = members.cell
WHERE members.row_count > coalesce(lent.row_count, 0)
UNION ALL
SELECT 0 AS part, cell, CAST(sum(row_count) AS BIGINT) AS row_count
FROM gathered
GROUP BY cell
