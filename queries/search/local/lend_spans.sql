-- Answers: the tuples of classes that have rows to spare, and what they would span together with all tuples left over.
-- Reads: cells, the distinct tuples, numbered (this_position, cell); members, the tuples of each class, with their rows
-- there (cell, part, row_count); class_costs, the classes with their spans and losses (cost, size, part); rest, the
-- tuples without a class (cell).
-- Takes: this_high and this_low, of each dimension the least and the greatest position; this_position, of each
-- dimension the column of positions; $k, the fewest rows of a class.
-- Gives: cell, part, row_count, spare, old_cost, this_low, this_high.
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
CROSS JOIN (
    SELECT
        min(CAST(cells.this_position AS BIGINT)) AS this_low,
        max(CAST(cells.this_position AS BIGINT)) AS this_high
    FROM cells
    JOIN rest ON rest.cell = cells.cell
) AS left_over
WHERE class_costs.size > $k
