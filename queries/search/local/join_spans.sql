-- Answers: each waiting tuple with each class: what the class would span with it.
-- Reads: class_costs, the classes with their spans and losses (part, size, cost, this_low, this_high); cells, the
-- distinct tuples, numbered (this_position, cell); waiting, the tuples that wait for a class (cell, row_count).
-- Takes: this_high and this_low, of each dimension the least and the greatest position; this_position, of each
-- dimension the column of positions.
-- Gives: cell, row_count, part, size, old_cost, this_low, this_high.
SELECT
    newcomers.cell,
    newcomers.row_count,
    class_costs.part,
    class_costs.size,
    class_costs.cost AS old_cost,
    least(class_costs.this_low, newcomers.this_position) AS this_low,
    greatest(class_costs.this_high, newcomers.this_position) AS this_high
FROM class_costs
CROSS JOIN (
    SELECT waiting.cell, waiting.row_count, CAST(cells.this_position AS BIGINT) AS this_position
    FROM cells
    JOIN waiting ON waiting.cell = cells.cell
) AS newcomers
