-- Answers: the classes without what they lent, and the new class of that and the tuples left over. As many rows are
-- lent as these lack, the cheapest first; a class keeps k, and of its rows those go first that would lose least more.
-- Reads: cells, the distinct tuples, numbered (this_position, cell); members, the tuples of each class, with their rows
-- there (part, cell, row_count); class_costs, the classes with their spans and losses (part, size, cost); rest, the
-- tuples without a class (cell, row_count); costed, the tuples of classes with rows to spare, and what they would lose
-- together with all tuples left over (cell, part, row_count, spare, cost, old_cost).
-- Takes: this_high and this_low, of each dimension the least and the greatest position; this_position, of each
-- dimension the column of positions; $k, the fewest rows of a class.
-- Gives: the table borrowed (part, cell, row_count).
CREATE OR REPLACE TEMP TABLE borrowed AS
WITH left_over AS (
    SELECT
        $k - CAST(sum(rest.row_count) AS BIGINT) AS lacking,
        min(CAST(cells.this_position AS BIGINT)) AS this_low,
        max(CAST(cells.this_position AS BIGINT)) AS this_high
    FROM cells
    JOIN rest ON rest.cell = cells.cell
),
spanned AS (
    SELECT
        members.cell,
        members.part,
        members.row_count,
        class_costs.size - $k AS spare,
        class_costs.cost AS old_cost,
        least(left_over.this_low, cells.this_position) AS this_low,
        greatest(left_over.this_high, cells.this_position) AS this_high
    FROM cells
    JOIN members ON members.cell = cells.cell
    JOIN class_costs ON class_costs.part = members.part
    CROSS JOIN left_over
    WHERE class_costs.size > $k
),
lenders AS (
    SELECT
        cell,
        part,
        cost - old_cost AS added,
        least(row_count, spare - (CAST(sum(row_count) OVER cheapest_first AS BIGINT) - row_count)) AS can_lend
    FROM costed
    WINDOW cheapest_first AS (PARTITION BY part ORDER BY cost - old_cost, cell ROWS UNBOUNDED PRECEDING)
    QUALIFY can_lend > 0
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
